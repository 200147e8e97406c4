"""How little stretches of the text resemble each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from handshift.bag.windows import windows
from handshift.detect.baselines.unit import units
from handshift.detect.interface import Scored, Vectors, shares

WIDTH = 5


@dataclass(frozen=True, slots=True)
class WindowCosine:
    """score = −mean cosine of the means of all windows of five consecutive words.

    A window contributes 1 − its mean cosine to the others, in equal parts through its words.
    """

    order_aware: ClassVar[bool] = True

    def score(self, words: Vectors) -> Scored:
        """Score (words, dimensions); a bag of one window resembles itself, −1."""
        n = len(words)
        places = windows(n, WIDTH)  # (windows, width)
        if len(places) < 2:
            return Scored(-1.0, np.full(n, 1 / n))
        x = units(units(words)[places].mean(axis=1))
        to_others = (x @ x.sum(axis=0) - 1) / (len(x) - 1)  # (windows,)
        apart = np.zeros(n)
        np.add.at(apart, places.ravel(), np.repeat(np.maximum(1 - to_others, 0.0), places.shape[1]))
        standing = np.bincount(places.ravel(), minlength=n)
        return Scored(float(-to_others.mean()), shares(apart / standing))
