"""Slow, obvious twins of the fast code: standard library only, nothing of ours imported."""
