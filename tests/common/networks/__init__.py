"""Tests of common/networks."""
