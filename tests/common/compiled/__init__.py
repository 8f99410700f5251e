"""Tests of common/compiled."""
