"""Networks with probabilities: fitted, queried, sampled, mixed."""
