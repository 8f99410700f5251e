"""What is read and written besides data: graphs, scores of sets, claims; whole or not at all."""
