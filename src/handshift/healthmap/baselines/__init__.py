"""Detectors that are fitted, not trained: what Dinomaly must beat."""
