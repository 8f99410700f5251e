"""Tests of the room common/data."""
