"""Tests of common/junction."""
