"""Tests of common/chains."""
