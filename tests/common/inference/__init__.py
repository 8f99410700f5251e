"""Tests of common/inference."""
