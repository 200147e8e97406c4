"""Rows, columns and the teeth they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from handshift.healthmap.baselines.mean_level import MeanLevel
from handshift.healthmap.baselines.row_column import RowColumn
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation
from handshift.healthmap.which_tooth import Axis, which_tooth
from handshift.metrics import auroc

NOISE = np.random.default_rng(0).random((31, 95))


@pytest.mark.parametrize("row", [0, 12, 30])
def test_an_odd_row_is_named(row: int) -> None:
    odd = NOISE.copy()
    odd[row, 30:60] += 5
    tooth = which_tooth(odd).tooth
    assert tooth is not None
    assert (tooth.axis, tooth.number) == (Axis.ROW, row)


def test_an_odd_column_is_named() -> None:
    odd = NOISE.copy()
    odd[::2, 77] += 5
    tooth = which_tooth(odd).tooth
    assert tooth is not None
    assert (tooth.axis, tooth.number) == (Axis.COLUMN, 77)


def test_a_patch_across_the_seam_is_named_by_its_middle() -> None:
    odd = NOISE.copy()
    for row, height in ((29, 4.0), (30, 5.0), (0, 5.5), (1, 4.5), (2, 4.0)):
        odd[row, 40:65] += height
    tooth = which_tooth(odd).tooth
    assert tooth is not None
    assert (tooth.axis, tooth.number) == (Axis.ROW, 0)


def test_a_patch_as_coarse_as_a_network_is_sharpened_by_the_map_itself() -> None:
    patch = np.zeros((31, 95))
    patch[4:15, 30:62] = 1  # eleven teeth high
    values = 0.2 * np.exp(0.2 * np.random.default_rng(1).standard_normal((31, 95)))
    values[6, 32:60:2] *= 3
    tooth = which_tooth(patch + 0.01 * NOISE, values).tooth
    assert tooth is not None
    assert (tooth.axis, tooth.number) == (Axis.ROW, 6)


def test_noise_and_an_even_map_name_no_tooth() -> None:
    assert which_tooth(NOISE).tooth is None
    assert which_tooth(np.ones((31, 95))).tooth is None


def test_the_physics_finds_row_and_column_faults_without_a_gain_shift() -> None:
    model = MapModel(MapSimulation.published(), 0)
    rng = np.random.default_rng(0)
    train = model.draw("C", Condition.COLD, 200, rng, training=True).maps
    normal = model.draw("C", Condition.COLD, 150, rng).maps
    labels = np.repeat([0, 1], 150)
    detector, level = RowColumn.fit(train), MeanLevel.fit(train)
    for kind in (FaultKind.PLANET, FaultKind.RING):
        faulty = model.draw("C", Condition.COLD, 150, rng, fault=FaultSpec(kind, gain_shift=False)).maps
        both = np.concatenate([normal, faulty])
        assert auroc(labels, detector.scores(both)) > 0.92
        assert auroc(labels, level.scores(both)) < 0.7


def test_the_mean_level_may_ask_for_quieter_maps_too() -> None:
    maps = np.exp(0.1 * np.random.default_rng(0).standard_normal((50, 31, 95)))
    quiet = 0.8 * maps[:1]
    assert MeanLevel.fit(maps).scores(quiet)[0] < 0
    assert MeanLevel.fit(maps, two_sided=True).scores(quiet)[0] > 5
