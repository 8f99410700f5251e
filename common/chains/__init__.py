"""Chains of networks at several temperatures: moves, exchange, ladder, diagnostics."""
