"""Tests of the room common/graphs."""
