"""Choices of an inversion: parametrisation and prior; imports no torch, for the command line."""

from __future__ import annotations

from enum import StrEnum


class Drawing(StrEnum):
    """Parametrisation of inverted pictures: pen strokes, or free pixels (for faces and the like)."""

    PEN = "pen"
    PIXELS = "pixels"


class Prior(StrEnum):
    """Form of the batch-normalisation prior L8, see `search.BatchNormPrior`."""

    STANDARDISED = "standardised"
    PAPER = "paper"


WEIGHTS = {Prior.STANDARDISED: 0.3, Prior.PAPER: 0.05}
"""Default λ of each form."""
