"""Detectors that are fitted see what does not belong, and say where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.healthmap.baselines import FEATURE_DETECTORS
from handshift.healthmap.baselines.patchcore import greedy_coreset, nearest_distances
from handshift.healthmap.baselines.pca import ShiftInvariantPca, Subspace


def features(count: int, seed: int) -> np.ndarray:
    """Features (count, 2, 24, 8) that vary in three directions round a mean for each place."""
    random, fixed = np.random.default_rng(seed), np.random.default_rng(99)
    place, basis = fixed.normal(size=(2, 24, 8)), fixed.normal(size=(3, 2, 24, 8))
    noise = 0.05 * random.normal(size=(count, 2, 24, 8))
    return (place + np.einsum("nk,kgtc->ngtc", random.normal(size=(count, 3)), basis) + noise).astype(
        np.float16
    )


@pytest.mark.parametrize("name", FEATURE_DETECTORS)
def test_a_strange_patch_stands_out_where_it_is(name: str, tmp_path: Path):
    fitted = FEATURE_DETECTORS[name].fit(features(80, 0), seed=1)
    odd = features(10, 1)
    odd[:, :, 15] += 4 * np.random.default_rng(2).normal(size=(10, 2, 8)).astype(np.float16)
    normal, found = fitted.distances(features(10, 3)), fitted.distances(odd)
    assert found.shape == (10, 1, 24)
    assert found.max(axis=2).mean() > 1.3 * normal.max(axis=2).mean()
    assert np.median(found[:, 0].argmax(axis=1)) == 15
    fitted.save(tmp_path / "fitted.npz")
    np.testing.assert_array_equal(FEATURE_DETECTORS[name].load(tmp_path / "fitted.npz").distances(odd), found)
    with pytest.raises(HandshiftError, match="not a fitted"):
        FEATURE_DETECTORS[name].load(Path(__file__))


def test_a_greedy_coreset_covers_what_a_random_choice_misses():
    random = np.random.default_rng(0)
    points = np.concatenate([random.normal(size=(500, 3)), [[30, 0, 0], [0, 30, 0]]]).astype(np.float32)
    chosen = greedy_coreset(points, 5, random)
    assert {500, 501} <= set(chosen.tolist())
    assert len(set(chosen.tolist())) == 5


def test_nearest_distances_are_euclidean():
    random = np.random.default_rng(0)
    points, memory = random.normal(size=(7, 4)), random.normal(size=(5, 4))
    wanted = np.linalg.norm(points[:, None] - memory[None], axis=2).min(axis=1)
    found = nearest_distances(points.astype(np.float32), memory.astype(np.float32))
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


@pytest.mark.parametrize("count", [20, 200])
def test_a_subspace_leaves_nothing_of_what_it_spans(count: int):
    random = np.random.default_rng(0)
    rows = (random.normal(size=(count, 2)) @ random.normal(size=(2, 50)) + 3).astype(np.float32)
    space = Subspace.fit(rows, 0.999)
    assert len(space.directions) == 2
    assert space.reconstruction_error(rows).max() < 0.02
    assert space.reconstruction_error(rows + random.normal(size=rows.shape).astype(np.float32)).min() > 1


def test_turning_the_gears_does_not_change_the_shift_invariant_score():
    random = np.random.default_rng(0)
    maps = np.exp(0.2 * random.normal(size=(40, 31, 95)))
    detector = ShiftInvariantPca.fit(maps[:30])
    turned = np.roll(maps[30:], (5, 17), axis=(1, 2))
    np.testing.assert_allclose(detector.scores(turned), detector.scores(maps[30:]), rtol=1e-3)
    struck = maps[30:].copy()
    struck[:, 7] *= 2
    assert detector.scores(struck).min() > detector.scores(maps[30:]).max()
