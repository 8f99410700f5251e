"""Tests of common/models."""
