"""Handwriting corpora: manifests, folder layouts, writer-disjoint splits, and synthetic scribes."""
