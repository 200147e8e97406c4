"""The size of writing counts as much as it helps on held-out writers, and not at all where it is unknown."""

from __future__ import annotations

import numpy as np
import pytest
from test_pair_calibration import Table, hands

from handshift.calibration.calibrate_size import calibrate_size
from handshift.calibration.calibration_data import CalibrationData
from handshift.calibration.pair_calibration import (
    BoundedLine,
    NormalTail,
    PairCalibration,
    PairPropositions,
    SizedLine,
)


def sizes_of(table: Table, writers: float, pages: float) -> np.ndarray:
    """ln mm with these deviations between writers and between the pages of one."""
    rng = np.random.default_rng(3)
    people, owner = np.unique(table.writer, return_inverse=True)
    sheets, page = np.unique(table.page, return_inverse=True)
    return (
        rng.normal(0, writers, people.size)[owner]
        + rng.normal(0, pages, sheets.size)[page]
        + rng.normal(0, 0.25, owner.size)
    )


VECTORS = PairCalibration(
    "m",
    PairPropositions("one", "two", "us"),
    (
        SizedLine(1.0, BoundedLine(0.4, 0.0, -1.0, 1.0), NormalTail(-0.5, 0.5)),
        SizedLine(12.0, BoundedLine(0.4, 0.0, -2.0, 2.0), NormalTail(-1.0, 0.8)),
    ),
)
"""How the ratios of the vectors were calibrated before."""


def calibrated(sizes: np.ndarray | None) -> PairCalibration:
    table, vectors = hands(40, seed=1)
    known = CalibrationData(table, vectors, sorted(set(table.writer)), "m", "us", 1, 4, sizes)
    return calibrate_size(known, VECTORS)


def test_a_size_that_people_keep_is_used_with_its_variances():
    table, _ = hands(40, seed=1)
    pairs = calibrated(sizes_of(table, 0.25, 0.09))
    found = pairs.size
    assert found is not None and pairs.sizes[0].sized_strangers is not None
    assert np.sqrt(found.writer) == pytest.approx(0.25, rel=0.3)
    assert found.word == pytest.approx(0.0625, rel=0.1)


def test_a_size_that_changes_from_page_to_page_as_between_people_says_nothing():
    table, _ = hands(40, seed=1)
    pairs = calibrated(sizes_of(table, 0.02, 0.3))
    if (
        found := pairs.size
    ) is not None:  # a difference of two deviations between writers says next to nothing
        noise = np.array([found.page + found.word / 60])
        ratio = found.log_ratios((np.array([-0.25]), np.array([0.25])), (noise, noise))
        assert abs(ratio[0]) < 0.15


def test_without_a_resolution_there_is_no_model_of_sizes():
    table, _ = hands(40, seed=1)
    few = np.where(np.isin(table.writer, sorted(set(table.writer))[:5]), sizes_of(table, 0.25, 0.09), np.nan)
    assert calibrated(None).size is None
    assert calibrated(few).size is None, "five writers are too few"


def test_it_is_stored_with_the_calibration(tmp_path):
    table, _ = hands(40, seed=1)
    pairs = calibrated(sizes_of(table, 0.25, 0.09))
    pairs.save(tmp_path / "comparison.json")
    assert PairCalibration.load(tmp_path / "comparison.json") == pairs
