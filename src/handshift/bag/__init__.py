"""Vectors become bags: indices into one array, never copies."""
