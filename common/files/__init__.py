"""Files besides data: graphs, scores of sets, claims."""
