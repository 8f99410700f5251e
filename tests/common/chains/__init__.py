"""Tests of the room common/chains."""
