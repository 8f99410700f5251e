"""Tests of common/bounds."""
