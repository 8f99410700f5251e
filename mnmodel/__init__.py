"""Networks with probabilities: fit, evaluate, query, sample and mix them."""
