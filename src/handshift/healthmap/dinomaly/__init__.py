"""Dinomaly: learn to give back the features of sound maps only; what cannot be given back does not belong."""
