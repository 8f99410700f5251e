"""Known networks for drawing data."""
