"""Tests of common/run."""
