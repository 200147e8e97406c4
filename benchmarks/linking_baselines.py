"""What pages are grouped with beside the product, and how a grouping is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from drawn_documents import Document
from sklearn.cluster import AgglomerativeClustering, SpectralClustering


def b_cubed(truth: np.ndarray, found: np.ndarray) -> float:
    """F1 of B-cubed precision and recall over pages."""
    same, joined = truth[:, None] == truth, found[:, None] == found
    both = (same & joined).sum(axis=1)
    precision, recall = (both / joined.sum(axis=1)).mean(), (both / same.sum(axis=1)).mean()
    return float(2 * precision * recall / (precision + recall))


@dataclass(frozen=True)
class Tuned:
    """A method with the parameter that was best on other documents."""

    method: Callable[[np.ndarray, float], np.ndarray]
    value: float

    def __call__(self, document: Document) -> np.ndarray:
        """(pages,) group of each."""
        return self.method(document.means, self.value)


def tuned_baselines(documents: Sequence[Document]) -> dict[str, Tuned]:
    """Each baseline with the parameter of highest B-cubed F1 on these documents."""
    found = {}
    for name, method, values in (
        ("agglomerative, cosine", _agglomerative, np.linspace(0.05, 0.8, 16)),
        ("spectral, eigengap", _spectral, np.linspace(0.0, 3.0, 7)),
    ):
        scores = [
            np.mean([b_cubed(one.truth, method(one.means, value)) for one in documents]) for value in values
        ]
        found[name] = Tuned(method, round(float(values[int(np.argmax(scores))]), 4))
    return found


def _agglomerative(means: np.ndarray, threshold: float) -> np.ndarray:
    model = AgglomerativeClustering(None, metric="cosine", linkage="average", distance_threshold=threshold)
    return np.asarray(model.fit_predict(means))


def _spectral(means: np.ndarray, gap: float) -> np.ndarray:
    """As many groups as eigenvalues of the normalised affinity before its largest gap, if that is one."""
    if len(means) < 3:
        return np.zeros(len(means), int) if (1 - means[0] @ means[1]) < gap / 3 else np.arange(len(means))
    affinity = np.clip((1 + means @ means.T) / 2, 0, 1) ** 8
    degree = 1 / np.sqrt(affinity.sum(axis=1))
    values = np.sort(np.linalg.eigvalsh(degree[:, None] * affinity * degree))[::-1]
    steps = values[:-1] - values[1:]
    number = 1 + int(steps[1:].argmax() + 1) if steps[1:].max() >= gap * steps[0] else 1
    if number == 1:
        return np.zeros(len(means), int)
    model = SpectralClustering(number, affinity="precomputed", random_state=0)
    return np.asarray(model.fit_predict(affinity))
