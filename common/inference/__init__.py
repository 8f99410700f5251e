"""Exact inference in networks with parameters: junction trees, questions to them, incomplete data."""
