"""Tests of mnmodel."""
