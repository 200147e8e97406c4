"""`ScopeFit`: what pages inside and outside of a model's scope are like, fitted on known pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.detect.plda import Plda

FILE = "scope.json"
Floats = NDArray[np.float64]
FEWEST = 14
"""Words below which a page is not tested for typicality."""
_RIDGE = 0.1
"""Added to the covariance of words, relative to its mean variance, before the discriminant is computed."""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page for the fit: its word vectors, and where it comes from."""

    vectors: NDArray[np.float32] = field(repr=False)
    """(words, dimensions)"""
    database: str
    writer: str


@dataclass(frozen=True, slots=True)
class ScopeFit:
    """A discriminant between the validated script and others, and how usual pages of the population are.

    The page's script score is the mean over its words of wᵀ[x, log |r|] − b, x being a word's projected
    vector and r the network's row, scaled so that the population's words have mean 1 and the others −1.
    Typicality is the Mahalanobis distance of the page's (log mean square of its mean vector over the
    population's variance, log mean square of its words about their mean, mean log row length) from the
    population's.

    Both thresholds allow for a collection that the fit has not seen: the population's databases are left out
    in turn, and scored by a fit on the rest.
    """

    weights: tuple[float, ...]
    bias: float
    script_threshold: float
    """Script scores below are outside."""
    centre: tuple[float, ...]
    precision: tuple[tuple[float, ...], ...]
    distances: tuple[float, ...]
    """Distances of the population's pages, rising: a page's own is compared with them."""
    distance_threshold: float
    false_alarms: float
    """Share of the population's pages that each of the two tests was set to call outside."""
    databases: dict[str, int]
    """Pages of each database that it was fitted on."""
    held_out: dict[str, float] = field(default_factory=dict)
    """Share of each database's pages that is called outside, by writers whom the fit has not seen."""

    @classmethod
    def fit(
        cls,
        inside: Sequence[KnownPage],
        outside: Sequence[KnownPage],
        plda: Plda,
        false_alarms: float = 0.01,
    ) -> ScopeFit:
        """Fit on pages of either kind.

        Args:
            inside: Pages of the population.
            outside: Pages in other scripts.
            plda: The model's covariances.
            false_alarms: Share of the population's pages that each of the two tests may call outside.
        """
        pages = _Pages.of(inside, plda)
        others = [_described(page.vectors, plda) for page in outside]
        whole = _Reference.fit(pages, others)
        scores, distances = whole.script_scores(pages.words), whole.distances(pages.traits)
        unseen_scores, unseen_distances = [scores], [distances]
        for name in sorted(set(pages.database)) if len(set(pages.database)) > 1 else ():
            rest = _Reference.fit(pages.without(name), others)
            left_out = pages.only(name)
            unseen_scores.append(rest.script_scores(left_out.words))
            unseen_distances.append(rest.distances(left_out.traits))
        # Gaussian tails, because a hundredth of some sixty pages is less than one.
        reach = -NormalDist().inv_cdf(false_alarms)
        lowest = min(_tail(one, -reach) for one in unseen_scores)
        highest = float(_tail(whole.script_scores(others), reach))
        # Half-way between the two where they are apart: an unseen pen then costs no verdict.
        threshold = min(lowest, (lowest + highest) / 2)
        usual = max(float(np.exp(_tail(np.log(np.maximum(one, 1e-6)), reach))) for one in unseen_distances)
        counts = Counter(page.database for page in (*inside, *outside))
        return cls(
            tuple(map(float, whole.weights)),
            whole.bias,
            float(threshold),
            tuple(map(float, whole.centre)),
            tuple(tuple(map(float, row)) for row in whole.precision),
            tuple(round(float(one), 4) for one in np.sort(distances)),
            usual,
            false_alarms,
            dict(sorted(counts.items())),
        )

    @classmethod
    def validated(
        cls,
        inside: Sequence[KnownPage],
        outside: Sequence[KnownPage],
        plda: Plda,
        false_alarms: float = 0.01,
        folds: int = 5,
    ) -> ScopeFit:
        """Fit on all pages, and measure on held-out writers how many pages are called outside.

        Args:
            inside: Pages of the population.
            outside: Pages in other scripts.
            plda: The model's covariances.
            false_alarms: As for `fit`.
            folds: Parts of the writers; each is judged by a fit on the others.

        Returns:
            The fit, with the measured shares as `held_out`.
        """
        fold = {
            writer: number % folds
            for number, writer in enumerate(sorted({page.writer for page in (*inside, *outside)}))
        }
        refused: dict[str, list[bool]] = {}
        for part in range(folds):
            seen = [[page for page in kind if fold[page.writer] != part] for kind in (inside, outside)]
            judge = cls.fit(seen[0], seen[1], plda, false_alarms)
            for page in (*inside, *outside):
                if fold[page.writer] == part:
                    outcome = bool(judge.doubts(page.vectors, plda))
                    refused.setdefault(page.database, []).append(outcome)
        shares = {name: round(float(np.mean(outcomes)), 4) for name, outcomes in sorted(refused.items())}
        return replace(cls.fit(inside, outside, plda, false_alarms), held_out=shares)

    def doubts(self, vectors: NDArray[np.float32], plda: Plda) -> dict[str, float]:
        """Tests that a page fails: ``script`` with its score, ``atypical`` with its rarity.

        Args:
            vectors: (words, dimensions) of the page's words.
            plda: The model's covariances.
        """
        found = {}
        score, error = self.script_score(vectors, plda)
        if score + error < self.script_threshold:  # beyond what so few words leave open
            found["script"] = score
        distance = self.distance(vectors, plda)
        if len(vectors) >= FEWEST and distance > self.distance_threshold:
            found["atypical"] = self.as_unusual(distance)
        return found

    def script_score(self, vectors: NDArray[np.float32], plda: Plda) -> tuple[float, float]:
        """Mean discriminant of a page's words, positive inside, and its standard error."""
        scores = _described(vectors, plda) @ np.array(self.weights) - self.bias
        spread = scores.std(ddof=1) if len(scores) > 1 else np.inf
        return float(scores.mean()), float(spread / np.sqrt(len(scores)))

    def distance(self, vectors: NDArray[np.float32], plda: Plda) -> float:
        """How unusual a page is."""
        return _distance(page_traits(vectors, plda), np.array(self.centre), np.array(self.precision))

    def as_unusual(self, distance: float) -> float:
        """Share of the population's pages that are at least as unusual."""
        return float(np.mean(np.array(self.distances) >= distance))

    def save(self, folder: Path) -> None:
        """Write into a model's folder."""
        write_text(folder / FILE, json.dumps(asdict(self), ensure_ascii=False) + "\n")

    @classmethod
    def load(cls, folder: Path) -> ScopeFit | None:
        """Read what `save` wrote; None where the model has none.

        Raises:
            HandshiftError: The file is damaged.
        """
        path = folder / FILE
        if not path.is_file():
            return None
        try:
            content: dict[str, Any] = read_json_object(path, "a fitted scope")
            content["precision"] = tuple(tuple(map(float, row)) for row in content["precision"])
            for name in ("weights", "centre", "distances"):
                content[name] = tuple(map(float, content[name]))
            for name in ("bias", "script_threshold", "distance_threshold", "false_alarms"):
                content[name] = float(content[name])
            return cls(**content)._checked()
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise HandshiftError(f"{path}: not a fitted scope ({error}); fit it again") from error

    def _checked(self) -> ScopeFit:
        sides = {len(self.precision), *map(len, self.precision)}
        if not self.weights or not self.distances or sides != {len(self.centre)}:
            raise ValueError("lengths that do not fit each other")
        if not np.isfinite([*self.weights, self.bias, *self.centre, *sum(self.precision, ())]).all():
            raise ValueError("a number that is not finite")
        return self


@dataclass(frozen=True, slots=True)
class _Pages:
    """Pages of the population as the tests see them."""

    words: list[Floats]
    """(words, dimensions + 1) of each page."""
    traits: Floats
    """(pages, 3)"""
    database: list[str]

    @classmethod
    def of(cls, pages: Sequence[KnownPage], plda: Plda) -> _Pages:
        traits = np.array([page_traits(page.vectors, plda) for page in pages])
        return cls(
            [_described(page.vectors, plda) for page in pages], traits, [page.database for page in pages]
        )

    def only(self, name: str) -> _Pages:
        return self._where([database == name for database in self.database])

    def without(self, name: str) -> _Pages:
        return self._where([database != name for database in self.database])

    def _where(self, flags: Sequence[bool]) -> _Pages:
        rows = np.flatnonzero(flags)
        return _Pages([self.words[at] for at in rows], self.traits[rows], [self.database[at] for at in rows])


@dataclass(frozen=True, slots=True)
class _Reference:
    """Discriminant and typical page, without thresholds."""

    weights: Floats
    bias: float
    centre: Floats
    precision: Floats

    @classmethod
    def fit(cls, pages: _Pages, others: Sequence[Floats]) -> _Reference:
        weights, bias = _discriminant(np.concatenate(pages.words), np.concatenate(others))
        spread = np.cov(pages.traits.T) + 1e-3 * np.eye(pages.traits.shape[1])
        return cls(weights, bias, np.median(pages.traits, axis=0), np.asarray(np.linalg.inv(spread)))

    def script_scores(self, pages: Sequence[Floats]) -> Floats:
        return np.array([float((rows @ self.weights - self.bias).mean()) for rows in pages])

    def distances(self, traits: Floats) -> Floats:
        return np.array([_distance(row, self.centre, self.precision) for row in traits])


def _tail(values: Floats, reach: float) -> float:
    """Mean, and so many standard deviations beyond."""
    return float(values.mean() + reach * (values.std(ddof=1) if values.size > 1 else 0.0))


def page_traits(vectors: NDArray[np.float32], plda: Plda) -> Floats:
    """Three figures of a page: how far its mean lies off, how much its words vary, how long its rows are."""
    words = plda.project(vectors)
    count = len(words)
    mean = words.mean(axis=0)
    off = np.square(mean) / (plda.writer + plda.session + 1 / count)
    within = np.square(words - mean).sum(axis=0) / max(1, count - 1)
    length = np.log(np.linalg.norm(vectors, axis=1) + 1e-6)
    return np.array([np.log(off.mean()), np.log(within.mean() + 1e-6), length.mean()])


def _described(vectors: NDArray[np.float32], plda: Plda) -> Floats:
    """(words, dimensions + 1): projected vectors, and the logarithm of the row's length."""
    length = np.log(np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-6)
    return np.hstack([plda.project(vectors), length])


def _discriminant(inside: Floats, outside: Floats) -> tuple[Floats, float]:
    """Fisher's linear discriminant, scaled to mean 1 inside and −1 outside."""
    within = (np.cov(inside.T) + np.cov(outside.T)) / 2
    within += _RIDGE * np.trace(within) / len(within) * np.eye(len(within))
    apart = inside.mean(axis=0) - outside.mean(axis=0)
    weights = np.linalg.solve(within, apart)
    weights *= 2 / max(float(weights @ apart), 1e-9)
    return weights, float(weights @ (inside.mean(axis=0) + outside.mean(axis=0)) / 2)


def _distance(traits: Floats, centre: Floats, precision: Floats) -> float:
    off = traits - centre
    return float(np.sqrt(max(0.0, float(off @ precision @ off))))
