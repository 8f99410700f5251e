"""Tests of junctor."""
