"""Slow, plain versions of the fast code: standard library only, nothing of cliquewise imported."""
