"""Tests of common/exact."""
