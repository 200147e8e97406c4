"""How much each detector's word counts in a combination."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handshift.detect.logistic import fit_logistic
from handshift.error import HandshiftError

Floats = NDArray[np.float64]
USUAL = 14


@dataclass(frozen=True, slots=True)
class Weights:
    """score = Σ_k weight_k·(asinh(s_k) − mean_k) / spread_k + drift·ln(words / 14) + offset.

    s_k are the parts' scores, which grow with the bag. asinh keeps small ones as they are and large ones in
    hand (it grows like a logarithm), so that one part's thousand does not outvote the others. The score is
    ln odds at even prior odds.
    """

    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weight: tuple[float, ...]
    drift: float
    offset: float

    def combine(self, scores: ArrayLike, sizes: ArrayLike) -> Floats:
        """(bags, parts) and (bags,) words → (bags,)."""
        tamed = (np.arcsinh(scores) - np.array(self.mean)) / np.array(self.spread)
        return np.asarray(tamed @ np.array(self.weight) + self.drift * _length(sizes) + self.offset)

    def shares(self) -> Floats:
        """(parts,) how much each part says; those with a negative weight nothing."""
        say = np.maximum(np.array(self.weight), 0.0)
        return np.asarray(say / say.sum() if say.sum() > 0 else np.full(say.size, 1 / say.size))

    def plain(self) -> dict[str, object]:
        """As JSON holds them."""
        return asdict(self)


def fit_weights(scores: Floats, sizes: ArrayLike, label: ArrayLike) -> Weights:
    """Fit on the parts' scores (bags, parts) of writers that the parts have not learned from."""
    if not np.isfinite(scores).all():
        raise HandshiftError("the parts' scores must be finite to be combined")
    tamed = np.arcsinh(scores)
    mean, spread = tamed.mean(axis=0), np.maximum(tamed.std(axis=0), 1e-9)
    features = np.hstack([(tamed - mean) / spread, _length(sizes)[:, None]])
    found, offset = fit_logistic(features, np.asarray(label, bool))
    return Weights(
        mean=tuple(mean.tolist()),
        spread=tuple(spread.tolist()),
        weight=tuple(found[:-1].tolist()),
        drift=float(found[-1]),
        offset=offset,
    )


def _length(sizes: ArrayLike) -> Floats:
    return np.asarray(np.log(np.maximum(np.asarray(sizes, float), 1.0) / USUAL))
