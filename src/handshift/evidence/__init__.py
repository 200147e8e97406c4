"""A score becomes a statement."""
