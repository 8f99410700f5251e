"""Speed, quality and memory beside the published figures: `make bench` prints the tables, nothing is tested."""
