"""Tests of common/data."""
