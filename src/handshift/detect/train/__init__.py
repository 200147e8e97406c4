"""Training a detector on bags of known truth, and telling how it went."""
