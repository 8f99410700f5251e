"""Tests of the room common/cli."""
