"""Tests of coarsen."""
