"""EM and completions for incomplete data."""
