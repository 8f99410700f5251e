"""Tests of the room common/exact."""
