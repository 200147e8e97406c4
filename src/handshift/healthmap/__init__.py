"""Anomaly detection on health maps of gearboxes and on pictures of parts: Dinomaly, PatchCore, PaDiM, PCA."""
