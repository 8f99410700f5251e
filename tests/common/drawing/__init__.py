"""Tests of common/drawing."""
