"""Tests of the room common/sets."""
