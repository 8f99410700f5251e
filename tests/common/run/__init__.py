"""Tests of the room common/run."""
