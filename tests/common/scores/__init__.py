"""Tests of the room common/scores."""
