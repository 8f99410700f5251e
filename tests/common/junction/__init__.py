"""Tests of the room common/models."""
