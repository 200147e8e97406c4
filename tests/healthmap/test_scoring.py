"""Distances become a picture, a number and a decision."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.healthmap.resizing import Resizing
from handshift.healthmap.scoring import Scoring
from handshift.healthmap.thresholds import Thresholds, conformal_threshold


def test_scales_are_joined_by_mean_or_by_generalised_mean():
    distances = np.array([[[0.0, 0.2], [0.4, 0.2]]], np.float32)
    np.testing.assert_allclose(Scoring().aggregate_scales(distances), [[0.2, 0.2]])
    gem = Scoring(aggregation="gem", power=3).aggregate_scales(distances)
    np.testing.assert_allclose(gem, [[(0.4**3 / 2) ** (1 / 3), 0.2]], rtol=1e-6)
    weighted = Scoring(weights=(0.75, 0.25)).aggregate_scales(distances)
    np.testing.assert_allclose(weighted, [[0.1, 0.2]], rtol=1e-6)


def test_the_anomaly_map_is_brightest_where_the_odd_patch_lies():
    distances = np.zeros((1, 2, 24), np.float32)
    distances[0, :, 6 * 2 + 4] = 1.0
    found = Scoring().anomaly_maps(distances, (4, 6), Resizing.whole((32, 48), circular=True))[0]
    row, column = np.unravel_index(found.argmax(), found.shape)
    assert (row // 8, column // 8) == (2, 4)


def test_a_blur_spreads_one_patch_round_the_torus_and_keeps_the_sum():
    distances = np.zeros((1, 1, 24), np.float32)
    distances[0, 0, 0] = 1.0
    frame = Resizing.whole((32, 48), circular=True)
    sharp, blurred = (Scoring(blur=blur).anomaly_maps(distances, (4, 6), frame)[0] for blur in (0, 3))
    assert blurred.max() < 0.9 * sharp.max()
    assert blurred.sum() == pytest.approx(sharp.sum(), rel=1e-3)
    assert blurred[-1, -1] > sharp[-1, -1]


def test_the_score_is_the_mean_of_the_largest_pixels():
    pixels = np.arange(200, dtype=np.float32).reshape(1, 10, 20)
    assert Scoring(top=1).scores(pixels)[0] == pytest.approx(198.5)
    assert Scoring(top=100).scores(pixels)[0] == pytest.approx(99.5)
    assert Scoring(top=0.01).scores(pixels)[0] == 199


def test_a_threshold_keeps_its_promise_on_new_normal_maps():
    random = np.random.default_rng(0)
    rates = [
        (random.normal(size=2000) >= conformal_threshold(random.normal(size=100), 0.05)).mean()
        for _ in range(300)
    ]
    assert 0.03 < np.mean(rates) <= 0.052


def test_thresholds_on_too_few_normal_maps_say_what_they_guarantee():
    thresholds = Thresholds.fit([0.1, 0.3, 0.2, *range(1, 121)], ["A"] * 3 + ["B"] * 120, 0.01)
    assert thresholds.of_domain("A") > 0.3
    [weak] = thresholds.weak()
    assert "A rests on 3 normal maps: it guarantees 25.0% false alarms, not 1.0%; 99 are needed" in str(weak)
    assert thresholds.weak("global") == []
    assert thresholds.weak(domains=["B", None]) == []
    assert [one.domain for one in thresholds.weak(domains=["A", "A"])] == ["A"]


def test_each_domain_has_its_own_threshold_and_a_strange_one_takes_the_common():
    scores = [*np.linspace(0, 1, 50), *np.linspace(2, 3, 50)]
    thresholds = Thresholds.fit(scores, ["A"] * 50 + ["B"] * 50, target=0.1)
    assert thresholds.of_domain("A") < 1 < 2 < thresholds.of_domain("B")
    assert thresholds.of_domain("Z") == thresholds.of_domain(None) == thresholds.overall
    assert thresholds.of_domain("A", "global") == thresholds.overall


def test_only_pixels_inside_the_picture_are_scored():
    maps = np.zeros((2, 10, 10), np.float32)
    maps[:, 0, 0] = 100
    maps[1, 5, 5] = 3
    inside = np.ones((10, 10), bool)
    inside[0] = False
    assert Scoring(top=1).scores(maps, [inside, inside]).tolist() == [0, 3]
    assert Scoring(top=1).scores(maps[:0], []).shape == (0,)
