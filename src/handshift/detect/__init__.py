"""A bag becomes a score."""
