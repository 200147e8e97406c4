"""`ScopeFit`: what pages inside and outside of a model's scope are like, fitted on known pages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.script_test import ScriptTest
from handshift.core.arrays import Flags
from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_json_object
from handshift.detect.plda import Plda

FILE = "scope.json"
Floats = NDArray[np.float64]
FEWEST = 14
"""Words below which a page is not tested for typicality."""
_PARTS = 3


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page for the fit: its word vectors, and where it comes from."""

    vectors: NDArray[np.float32] = field(repr=False)
    """(words, dimensions)"""
    database: str
    writer: str


@dataclass(frozen=True, slots=True)
class ScopeFit:
    """A test of the script, and how usual pages of the population are.

    Typicality is the Mahalanobis distance of the page's (log mean square of its mean vector over the
    population's variance, log mean square of its words about their mean, mean log row length) from the
    population's.

    Its threshold allows for a collection that the fit has not seen: the population's databases are left out
    in turn, and scored by a fit on the rest; of a single database, thirds of its writers.
    """

    script: ScriptTest | None
    """By the strokes: the vectors of a network that was trained on several scripts hardly show them.
    None where the population writes another script than the test was fitted to."""
    centre: tuple[float, ...]
    precision: tuple[tuple[float, ...], ...]
    distances: tuple[float, ...]
    """Distances of the population's pages, rising: a page's own is compared with them."""
    distance_threshold: float
    false_alarms: float
    """Share of the population's pages that the test of typicality was set to call outside."""
    databases: dict[str, int]
    """Pages of each database that it was fitted on."""
    held_out: dict[str, float] = field(default_factory=dict)
    """Share of each database's pages that is called atypical, by writers whom the fit has not seen."""

    @classmethod
    def fit(
        cls, pages: Sequence[KnownPage], plda: Plda, script: ScriptTest | None, false_alarms: float = 0.01
    ) -> ScopeFit:
        """Fit on pages of the population.

        Args:
            pages: Pages of the population.
            plda: The model's covariances.
            script: The test of the script, which was fitted on pages of either kind; None tests none.
            false_alarms: Share of the population's pages that may be called atypical.
        """
        traits = np.array([page_traits(page.vectors, plda) for page in pages])
        usual = _Usual.fit(traits)
        distances = usual.distances(traits)
        unseen = [_Usual.fit(traits[~own]).distances(traits[own]) for own in _parts(pages)]
        # Gaussian tails, because a hundredth of some sixty pages is less than one.
        reach = -NormalDist().inv_cdf(false_alarms)
        threshold = max(
            float(np.exp(_tail(np.log(np.maximum(one, 1e-6)), reach))) for one in (distances, *unseen)
        )
        return cls(
            script,
            tuple(map(float, usual.centre)),
            tuple(tuple(map(float, row)) for row in usual.precision),
            tuple(round(float(one), 4) for one in np.sort(distances)),
            threshold,
            false_alarms,
            dict(sorted(Counter(page.database for page in pages).items())),
        )

    @classmethod
    def validated(
        cls,
        pages: Sequence[KnownPage],
        plda: Plda,
        script: ScriptTest | None,
        false_alarms: float = 0.01,
        folds: int = 5,
    ) -> ScopeFit:
        """Fit on all pages, and measure on held-out writers how many pages are called atypical.

        Args:
            pages: Pages of the population.
            plda: The model's covariances.
            script: The test of the script.
            false_alarms: As for `fit`.
            folds: Parts of the writers; each is judged by a fit on the others.

        Returns:
            The fit, with the measured shares as `held_out`.
        """
        fold = {
            writer: number % folds for number, writer in enumerate(sorted({page.writer for page in pages}))
        }
        refused: dict[str, list[bool]] = {}
        for part in range(folds):
            seen = [page for page in pages if fold[page.writer] != part]
            judge = cls.fit(seen, plda, script, false_alarms)
            for page in pages:
                if fold[page.writer] == part:
                    outcome = bool(judge.doubts(page.vectors, plda, None))
                    refused.setdefault(page.database, []).append(outcome)
        shares = {name: round(float(np.mean(outcomes)), 4) for name, outcomes in sorted(refused.items())}
        return replace(cls.fit(pages, plda, script, false_alarms), held_out=shares)

    def doubts(self, vectors: NDArray[np.float32], plda: Plda, geometry: Floats | None) -> dict[str, float]:
        """Tests that a page fails: ``script`` with its log-odds, ``atypical`` with its rarity.

        Args:
            vectors: (words, dimensions) of the page's words.
            plda: The model's covariances.
            geometry: (measures,) of its strokes; None where they could not be measured.
        """
        found = {}
        if geometry is not None and self.script is not None and self.script.is_other(geometry):
            found["script"] = self.script.score(geometry)
        distance = self.distance(vectors, plda)
        if len(vectors) >= FEWEST and distance > self.distance_threshold:
            found["atypical"] = self.as_unusual(distance)
        return found

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
            script = content["script"]
            content["script"] = ScriptTest.from_record(script) if script is not None else None
            for name in ("centre", "distances"):
                content[name] = tuple(map(float, content[name]))
            for name in ("distance_threshold", "false_alarms"):
                content[name] = float(content[name])
            return cls(**content)._checked()
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise HandshiftError(f"{path}: not a fitted scope ({error}); fit it again") from error

    def _checked(self) -> ScopeFit:
        sides = {len(self.precision), *map(len, self.precision)}
        if not self.distances or sides != {len(self.centre)}:
            raise ValueError("lengths that do not fit each other")
        if not np.isfinite([*self.centre, *sum(self.precision, ())]).all():
            raise ValueError("a number that is not finite")
        return self


@dataclass(frozen=True, slots=True)
class _Usual:
    """The typical page, without a threshold."""

    centre: Floats
    precision: Floats

    @classmethod
    def fit(cls, traits: Floats) -> _Usual:
        spread = np.cov(traits.T) + 1e-3 * np.eye(traits.shape[1])
        return cls(np.median(traits, axis=0), np.asarray(np.linalg.inv(spread)))

    def distances(self, traits: Floats) -> Floats:
        return np.array([_distance(row, self.centre, self.precision) for row in traits])


def _parts(pages: Sequence[KnownPage]) -> Iterator[Flags]:
    """(pages,) which are left out in turn: a database, or a third of the writers of the only one."""
    names = np.array([page.database for page in pages])
    if np.unique(names).size == 1:
        writers = sorted({page.writer for page in pages})
        names = np.array([str(writers.index(page.writer) % _PARTS) for page in pages])
    for name in np.unique(names):
        own = names == name
        if own.sum() < own.size - 1:
            yield own


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


def _distance(traits: Floats, centre: Floats, precision: Floats) -> float:
    off = traits - centre
    return float(np.sqrt(max(0.0, float(off @ precision @ off))))
