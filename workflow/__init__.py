"""`cliquewise learn`: from a table to a network, with probabilities, a model, a picture, a page and a report."""
