"""Known networks to draw data from."""
