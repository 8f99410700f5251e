"""Tests of common/files."""
