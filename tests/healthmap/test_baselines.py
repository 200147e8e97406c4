"""Detectors that are fitted see what does not belong, and say where."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.healthmap.baselines import FEATURE_DETECTORS
from handshift.healthmap.baselines.patchcore import PatchCore, PatchCoreOptions, greedy_coreset, nearest_of
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
    found, which = nearest_of(points.astype(np.float32), memory.astype(np.float32))
    np.testing.assert_allclose(found, wanted, rtol=1e-4)
    np.testing.assert_array_equal(
        which, np.linalg.norm(points[:, None] - memory[None], axis=2).argmin(axis=1)
    )


def test_variants_of_patchcore_do_what_their_formulas_say(tmp_path: Path):
    train, test = features(30, 0), features(3, 1)
    plain = PatchCore.fit(train, 1).distances(test)
    weighted = PatchCore.fit(train, 1, PatchCoreOptions(neighbours=4))
    patch = np.asarray(test, np.float32).transpose(0, 2, 1, 3).reshape(-1, 16)[7]
    away = np.linalg.norm(weighted.memory - patch, axis=1)
    nearest = int(away.argmin())
    around = np.argsort(np.linalg.norm(weighted.memory - weighted.memory[nearest], axis=1))[:4]
    wanted = away[nearest] * (1 - np.exp(away[nearest]) / np.exp(away[around]).sum())
    assert weighted.distances(test).reshape(-1)[7] == pytest.approx(wanted, rel=1e-3)
    loud = train.copy()
    loud[:, 1] *= 50
    equal = PatchCore.fit(loud, 1, PatchCoreOptions(equalise=True))
    assert np.linalg.norm(equal.memory[:, 8:], axis=1).mean() == pytest.approx(
        np.linalg.norm(equal.memory[:, :8], axis=1).mean(), rel=0.3
    )
    pooled = PatchCore.fit(train, 1, PatchCoreOptions(pooling=True, coreset=50), grid=(4, 6))
    turned = test.reshape(3, 2, 4, 6, 8)
    turned = np.roll(turned, (1, 2), axis=(2, 3)).reshape(3, 2, 24, 8)
    before, after = pooled.distances(test).reshape(3, 4, 6), pooled.distances(turned).reshape(3, 4, 6)
    np.testing.assert_allclose(np.roll(before, (1, 2), axis=(1, 2)), after, rtol=1e-4)
    assert len(pooled.memory) == 50
    assert plain.shape == after.reshape(3, 1, 24).shape
    turned_only = PatchCore.fit(train, 1, PatchCoreOptions(cosine=True))
    cosines = test * np.float16(2) ** np.arange(-2, 22).reshape(24, 1).clip(-2, 4)  # a length for each patch
    np.testing.assert_allclose(turned_only.distances(test), turned_only.distances(cosines), rtol=1e-2)
    assert not np.allclose(plain, PatchCore.fit(train, 1).distances(cosines), rtol=0.1)
    turned_only.save(tmp_path / "c.npz")
    kept = PatchCore.load(tmp_path / "c.npz")
    np.testing.assert_array_equal(kept.distances(test), turned_only.distances(test))
    pooled.save(tmp_path / "p.npz")
    np.testing.assert_array_equal(PatchCore.load(tmp_path / "p.npz").distances(test), pooled.distances(test))
    with pytest.raises(ValueError, match="grid"):
        PatchCore.fit(train, 1, PatchCoreOptions(pooling=True))


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
