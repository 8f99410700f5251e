"""Tests of the room common/files."""
