"""Networks with probabilities: fitted to data, evaluated, asked, sampled and mixed."""
