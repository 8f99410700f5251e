"""Tests of the room common/certify."""
