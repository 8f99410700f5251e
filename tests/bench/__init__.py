"""Speed, quality and memory compared with the published figures: `make bench` prints the tables, nothing is tested."""
