"""Tests of common/cli."""
