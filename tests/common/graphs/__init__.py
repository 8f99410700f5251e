"""Tests of common/graphs."""
