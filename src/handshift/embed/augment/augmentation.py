"""All changes together, each with its own strength."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.embed.augment.affine import random_affine
from handshift.embed.augment.elastic import elastic
from handshift.embed.augment.kindred import KINDRED
from handshift.embed.augment.paper import background, blurred, erased
from handshift.embed.augment.pen import other_ink, other_stroke
from handshift.embed.augment.placing import placed

Picture = NDArray[np.uint8]


@dataclass(frozen=True)
class Augmentation:
    """Strengths (1 is usual, 0 is off) and probabilities of each change, in the order they are made."""

    width: int = 96
    """Columns of the picture that is learnt from."""
    placing: float = 1.0
    """Strength of shear, turn, scale and shift; at 0 a long word is still seen through a random window."""
    affine: float = 0.0
    """Strength of the source's RandomAffine."""
    elastic: float = 0.0
    """Displacement in pixels."""
    stroke: float = 0.5
    """Probability of a wider or narrower stroke."""
    stroke_depth: float = 1.0
    """How far it is taken."""
    ink: float = 1.0
    """Strength of stronger or fainter ink."""
    background: float = 0.0
    """Strength of clouds and grain of the paper."""
    blur: float = 0.3
    """Probability of a scanner out of focus."""
    erasing: float = 0.0
    """Probability that a rectangle is covered."""

    def __call__(self, picture: Picture, rng: np.random.Generator, kin: int = 0) -> Picture:
        """One random variant, (height, width), of a word by a hand or by one of its kindred."""
        changed = placed(picture, self.width, rng, self.placing, *KINDRED[kin])
        if self.affine:
            changed = random_affine(changed, rng, self.affine)
        if self.elastic:
            changed = elastic(changed, rng, self.elastic)
        if rng.random() < self.stroke:
            changed = other_stroke(changed, rng, self.stroke_depth)
        if self.ink:
            changed = other_ink(changed, rng, self.ink)
        if self.background:
            changed = background(changed, rng, self.background)
        if rng.random() < self.blur:
            changed = blurred(changed, rng)
        if self.erasing and rng.random() < self.erasing:
            changed = erased(changed, rng)
        return changed
