"""Tests of common/scores."""
