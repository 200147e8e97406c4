"""Hands that nobody has: more writers to learn from."""

from __future__ import annotations

KINDRED = ((0.0, 1.0), (0.3, 1.0), (-0.3, 1.0), (0.0, 1.28), (0.0, 0.78))
"""Shear and stretch that make a hand into another one; the first leaves it as it is."""
