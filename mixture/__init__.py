"""The learner of mixtures of networks, `mnmodel mixture`: parts, pool, choice."""
