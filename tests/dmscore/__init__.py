"""Tests of dmscore."""
