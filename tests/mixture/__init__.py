"""Tests of the folder mixture."""
