"""Chains of networks at several temperatures: moves, exchange, ladders, diagnostics."""
