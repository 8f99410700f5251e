"""Tests of twlearn."""
