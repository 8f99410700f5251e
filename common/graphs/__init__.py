"""Undirected and directed graphs: records, chordality, cliques and separators, treewidth."""
