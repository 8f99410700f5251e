"""Tests of common/certify."""
