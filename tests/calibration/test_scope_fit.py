"""The guard's fit refuses another script, and says how many pages of unseen writers it would refuse."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.detect.plda import Plda

DIMENSIONS = 12
LEVELS = np.linspace(1.0, 0.3, DIMENSIONS)
PLDA = Plda(np.zeros(DIMENSIONS), np.eye(DIMENSIONS), LEVELS, 0.1 * LEVELS)


def pages(rng, database: str, count: int, shift: float = 0.0, words: int = 40) -> list[KnownPage]:
    """Pages by as many writers; `shift` moves all their words along one direction."""
    found = []
    for number in range(count):
        hand = rng.normal(0, np.sqrt(LEVELS)) + shift * np.eye(DIMENSIONS)[0]
        vectors = hand + rng.normal(size=(words, DIMENSIONS))
        found.append(KnownPage(vectors.astype(np.float32), database, f"{database}/{number}"))
    return found


@pytest.fixture(scope="module")
def fit() -> ScopeFit:
    rng = np.random.default_rng(3)
    inside = [*pages(rng, "one", 30), *pages(rng, "two", 30, shift=0.4)]
    return ScopeFit.validated(inside, pages(rng, "other script", 20, shift=6.0), PLDA)


def test_held_out_writers_are_seldom_refused_and_another_script_is(fit):
    assert fit.held_out["one"] <= 0.07 and fit.held_out["two"] <= 0.07
    assert fit.held_out["other script"] >= 0.95
    assert fit.databases == {"one": 30, "two": 30, "other script": 20}


def test_a_collection_that_the_fit_has_not_seen_is_not_refused_as_a_whole(fit):
    unseen = pages(np.random.default_rng(8), "third", 40, shift=-0.6)
    assert np.mean([bool(fit.doubts(page.vectors, PLDA)) for page in unseen]) <= 0.05


def test_words_unlike_the_population_are_atypical(fit):
    (page,) = pages(np.random.default_rng(9), "wide", 1)
    assert fit.doubts(5 * page.vectors, PLDA).get("atypical") == 0.0
    assert not fit.doubts(5 * page.vectors[:8], PLDA).get("atypical")


def test_a_fit_survives_its_file(fit, tmp_path):
    fit.save(tmp_path)
    assert ScopeFit.load(tmp_path) == fit
