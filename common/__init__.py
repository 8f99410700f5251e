"""Code shared by all cliquewise tools; it depends on no tool, and importing it imports nothing else."""
