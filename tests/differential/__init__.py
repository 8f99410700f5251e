"""Random small data through every learner and exhaustive search."""
