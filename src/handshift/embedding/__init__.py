"""A word becomes a vector."""
