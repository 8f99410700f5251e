"""Finished networks, as files and Python see them: scored, compared and drawn."""
