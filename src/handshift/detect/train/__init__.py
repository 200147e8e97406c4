"""Training a detector on bags of known truth, and evaluating it."""
