"""Chains of networks at several temperatures: moves, exchange, rungs of a ladder, diagnostics."""
