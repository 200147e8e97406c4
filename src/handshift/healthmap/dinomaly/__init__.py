"""Dinomaly (Guo et al. 2025): reconstruct encoder features of normal maps; the error is the anomaly score."""
