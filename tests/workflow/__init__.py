"""Tests of `cliquewise learn`."""
