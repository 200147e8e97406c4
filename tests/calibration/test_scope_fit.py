"""The guard's fit refuses another script, and says how many pages of unseen writers it would refuse."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.detect.plda import Plda

DIMENSIONS = 12
LEVELS = np.linspace(1.0, 0.3, DIMENSIONS)
PLDA = Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), LEVELS, 0.1 * LEVELS)


def pages(rng, database: str, count: int, shift: float = 0.0, bend: float = 0.0) -> list[KnownPage]:
    """Pages by as many writers; `shift` moves all their words along one direction, `bend` their strokes."""
    found = []
    for number in range(count):
        hand = rng.normal(0, np.sqrt(LEVELS)) + shift * np.eye(DIMENSIONS)[0]
        vectors = hand + rng.normal(size=(40, DIMENSIONS))
        strokes = rng.normal(size=5) + bend
        found.append(KnownPage(vectors.astype(np.float32), database, f"{database}/{number}", strokes))
    return found


@pytest.fixture(scope="module")
def fit() -> ScopeFit:
    rng = np.random.default_rng(3)
    inside = [*pages(rng, "one", 30), *pages(rng, "two", 30, shift=0.4)]
    return ScopeFit.validated(inside, pages(rng, "other script", 20, bend=5.0), PLDA)


def test_held_out_writers_are_seldom_refused_and_another_script_is(fit):
    assert fit.held_out["one"] <= 0.07 and fit.held_out["two"] <= 0.07
    assert fit.held_out["other script"] >= 0.95
    assert fit.databases == {"one": 30, "two": 30, "other script": 20}


def test_a_collection_that_the_fit_has_not_seen_is_not_refused_as_a_whole(fit):
    unseen = pages(np.random.default_rng(8), "third", 40, shift=-0.6)
    assert np.mean([bool(fit.doubts(page.vectors, PLDA, page.geometry)) for page in unseen]) <= 0.05


def test_words_unlike_the_population_are_atypical(fit):
    (page,) = pages(np.random.default_rng(9), "wide", 1)
    assert fit.doubts(5 * page.vectors, PLDA, None).get("atypical") == 0.0
    assert not fit.doubts(5 * page.vectors[:8], PLDA, None).get("atypical")


def test_a_fit_survives_its_file(fit, tmp_path):
    fit.save(tmp_path)
    assert ScopeFit.load(tmp_path) == fit


def test_one_measure_that_runs_away_does_not_make_another_script(fit):
    (page,) = pages(np.random.default_rng(11), "dotted paper", 1)
    dotted = page.geometry.copy()
    dotted[2] = 1000.0
    assert "script" not in fit.doubts(page.vectors, PLDA, dotted)


def test_a_page_whose_strokes_bend_otherwise_is_another_script_whatever_its_vectors(fit):
    (page,) = pages(np.random.default_rng(12), "other script", 1, bend=5.0)
    assert fit.doubts(page.vectors, PLDA, page.geometry)["script"] > fit.script.threshold
