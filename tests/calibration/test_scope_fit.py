"""The guard's fit refuses another script, and says how many pages of unseen writers it would refuse."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.calibration.script_test import ScriptTest
from handshift.detect.plda import Plda

DIMENSIONS = 12
LEVELS = np.linspace(1.0, 0.3, DIMENSIONS)
PLDA = Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), LEVELS, 0.1 * LEVELS)


def pages(rng, database: str, count: int, shift: float = 0.0) -> list[KnownPage]:
    """Pages by as many writers; `shift` moves all their words along one direction."""
    found = []
    for number in range(count):
        hand = rng.normal(0, np.sqrt(LEVELS)) + shift * np.eye(DIMENSIONS)[0]
        vectors = hand + rng.normal(size=(40, DIMENSIONS))
        found.append(KnownPage(vectors.astype(np.float32), database, f"{database}/{number}"))
    return found


def strokes(rng, count: int, bend: float = 0.0) -> np.ndarray:
    """Geometry of as many pages, in another script if it bends otherwise."""
    return rng.normal(size=(count, 5)) + bend


@pytest.fixture(scope="module")
def fit() -> ScopeFit:
    rng = np.random.default_rng(3)
    inside = {"one": strokes(rng, 30), "two": strokes(rng, 30, 0.2)}
    script = ScriptTest.fit(inside, {"other script": strokes(rng, 20, 4.0)}, 0.01)
    unseen = {"one": strokes(rng, 60), "other script": strokes(rng, 60, 4.0)}
    population = [*pages(rng, "one", 30), *pages(rng, "two", 30, shift=0.4)]
    return ScopeFit.validated(population, PLDA, script.measured_on(unseen))


def test_held_out_writers_are_seldom_refused_and_another_script_is(fit):
    assert fit.held_out["one"] <= 0.07 and fit.held_out["two"] <= 0.07
    assert fit.script.held_out["one"] <= 0.05
    assert fit.script.held_out["other script"] >= 0.95
    assert fit.databases == {"one": 30, "two": 30}


def test_a_collection_that_the_fit_has_not_seen_is_not_refused_as_a_whole(fit):
    rng = np.random.default_rng(8)
    unseen = zip(pages(rng, "third", 40, shift=-0.6), strokes(rng, 40, -0.3), strict=True)
    assert np.mean([bool(fit.doubts(page.vectors, PLDA, bent)) for page, bent in unseen]) <= 0.05


def test_words_unlike_the_population_are_atypical(fit):
    (page,) = pages(np.random.default_rng(9), "wide", 1)
    assert fit.doubts(5 * page.vectors, PLDA, None).get("atypical") == 0.0
    assert not fit.doubts(5 * page.vectors[:8], PLDA, None).get("atypical")


def test_one_measure_that_runs_away_does_not_make_another_script(fit):
    dotted = np.zeros(5)
    dotted[2] = 1000.0  # dots of dotted paper
    assert not fit.script.is_other(dotted)
    assert fit.script.is_other(np.full(5, 4.0))
    assert not fit.script.is_other(None)


def test_a_fit_survives_its_file(fit, tmp_path):
    fit.save(tmp_path)
    assert ScopeFit.load(tmp_path) == fit
