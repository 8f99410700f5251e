"""Damaged and invented inputs for every reader."""
