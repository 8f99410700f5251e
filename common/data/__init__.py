"""Discrete data: the record, its states, CSV files."""
