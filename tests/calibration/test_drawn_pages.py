"""Drawn pages show detectors another pen; how people and days vary they do not show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handshift.calibration.calibration_data import CalibrationData


@dataclass(frozen=True)
class Table:
    page: np.ndarray
    writer: np.ndarray
    session: np.ndarray
    prompt: np.ndarray


def data(databases: list[str]) -> CalibrationData:
    """Three writers of each database with two pages of ten words, drawn ones spread more between pages."""
    rng = np.random.default_rng(1)
    rows, vectors = [], []
    for database in databases:
        for writer in range(3):
            centre = rng.normal(0, 1.0, 6)
            for page in (1, 2):
                spread = 3.0 if database == "iam-strokes" else 0.3
                day = centre + rng.normal(0, spread, 6)
                rows += [(f"{database}/{writer}/{page}", f"{database}/w{writer}", page, database)] * 10
                vectors += list(day + rng.normal(0, 1.0, (10, 6)))
    table = Table(*(np.array(column) for column in zip(*rows, strict=True)))
    writers = sorted(set(table.writer))
    return CalibrationData(table, np.array(vectors), writers, "m", "us", 1, dimensions=4)


def test_writers_of_drawn_pages_have_pages_and_no_part_in_the_covariances() -> None:
    with_drawn, scanned = data(["csafe", "iam-strokes"]), data(["csafe"])
    assert len(with_drawn.pages()) == 12 and len(with_drawn.scanned.pages()) == 6
    np.testing.assert_array_equal(with_drawn.covariances().session, scanned.covariances().session)
    np.testing.assert_array_equal(with_drawn.covariances().mean, scanned.covariances().mean)


def test_where_all_pages_are_drawn_they_are_what_there_is() -> None:
    drawn = data(["iam-strokes"])
    assert drawn.scanned.writers == drawn.writers
    assert drawn.covariances().session.max() > data(["csafe"]).covariances().session.max()
