"""Tests of mplearn."""
