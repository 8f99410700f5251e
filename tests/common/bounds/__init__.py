"""Tests of the room common/bounds."""
