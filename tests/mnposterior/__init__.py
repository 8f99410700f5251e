"""Tests of mnposterior."""
