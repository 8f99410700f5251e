"""Scores of sets of variables and of families, from data or files; counting; pairwise gains."""
