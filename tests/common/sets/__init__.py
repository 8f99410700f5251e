"""Tests of common/sets."""
