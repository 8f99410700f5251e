"""Tests of mntools."""
