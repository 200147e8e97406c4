"""A scan becomes words."""
