"""Tests of the room common/compiled."""
