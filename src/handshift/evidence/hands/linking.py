"""Which hands of different pages are one: "hand B of page 3 is hand A of page 7"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handshift.detect.covariance import CovarianceModel
from handshift.evidence.hands.likelihood import Floats

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Samples:
    """What each page's hands look like."""

    means: Floats
    """(samples, dimensions), projected."""
    counts: Floats
    """(samples,) independent words' worth."""
    pages: Labels
    """(samples,) the page each is on, by number."""


def linked(samples: Samples, model: CovarianceModel, session_factor: float, threshold: float) -> Labels:
    """(samples,) the person each sample is ascribed to, by number.

    Groups of samples are joined, the likeliest two first, as long as ln p(both | one writer) −
    ln p(both | two writers) exceeds `threshold`; each page is a session of its own. Hands of one page have
    been told apart there already: they are joined only where one writer is the better explanation.
    """
    weight = 1 / (model.session * session_factor + 1 / samples.counts[:, None])
    beside = samples.pages[:, None] == np.unique(samples.pages)  # (samples, pages)
    groups = _Groups(samples.means * weight, weight, model.writer, beside, min(threshold, 0.0))
    labels = np.arange(len(weight))
    while len(np.unique(labels)) > 1:
        kept, gone, gain = groups.best()
        if gain <= threshold:
            break
        groups.join(kept, gone)
        labels[labels == gone] = kept
    return np.asarray(np.unique(labels, return_inverse=True)[1], np.int64)


class _Groups:
    """What joining any two groups would gain, kept up to date as they are joined."""

    def __init__(
        self,
        pulled: Floats,
        precision: Floats,
        writer: Floats,
        pages: NDArray[np.bool_],
        together: float,
    ) -> None:
        self._pulled, self._precision, self._writer = pulled.copy(), precision.copy(), writer
        self._pages, self._together = pages.copy(), together
        self._alone = self._value(pulled, precision)
        self._gain = np.array([self._with(group) for group in range(len(pulled))])
        np.fill_diagonal(self._gain, -np.inf)

    def best(self) -> tuple[int, int, float]:
        kept, gone = divmod(int(np.argmax(self._gain)), len(self._gain))
        return kept, gone, float(self._gain[kept, gone])

    def join(self, kept: int, gone: int) -> None:
        """Put `gone` into `kept`."""
        self._pulled[kept] += self._pulled[gone]
        self._precision[kept] += self._precision[gone]
        self._pages[kept] |= self._pages[gone]
        self._alone[kept] = self._value(self._pulled[kept : kept + 1], self._precision[kept : kept + 1])[0]
        self._gain[gone], self._gain[:, gone] = -np.inf, -np.inf
        fresh = np.where(np.isfinite(self._gain[kept]), self._with(kept), -np.inf)
        self._gain[kept], self._gain[:, kept] = fresh, fresh

    def _with(self, group: int) -> Floats:
        """(groups,) what joining `group` with each would gain."""
        both = self._value(self._pulled + self._pulled[group], self._precision + self._precision[group])
        on_one_page = (self._pages & self._pages[group]).any(axis=1)
        return np.asarray(both - self._alone - self._alone[group] + self._together * on_one_page)

    def _value(self, pulled: Floats, precision: Floats) -> Floats:
        square = pulled * pulled / (precision + 1 / self._writer)
        return np.asarray(0.5 * (square - np.log1p(self._writer * precision)).sum(axis=1))
