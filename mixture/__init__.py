"""The learner of mixtures of networks, `mnmodel mixture`: components, pool, choice."""
