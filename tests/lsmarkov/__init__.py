"""Tests of lsmarkov."""
