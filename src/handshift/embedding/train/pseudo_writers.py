"""Pseudo-writers: sheared or stretched copies of each writer, as additional training classes."""

from __future__ import annotations

PSEUDO_WRITERS = ((0.0, 1.0), (0.3, 1.0), (-0.3, 1.0), (0.0, 1.28), (0.0, 0.78))
"""(shear, stretch) of each pseudo-writer; number 0 is the writer unchanged."""
