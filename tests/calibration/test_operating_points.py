"""Operating points: rates are counts, the file belongs to one model, the nearest length is taken."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from handshift.calibration.labelled_scores import CalibrationError, LabelledScores
from handshift.calibration.operating_points import FILE, KEPT, ModelOperatingPoints, OperatingPoints
from handshift.core.errors import HandshiftError
from handshift.models.shipped_models import find_model


def _points(words: float = 14, count: int = 1000) -> OperatingPoints:
    rng = np.random.default_rng(0)
    known = LabelledScores.of(rng.normal(1, 1, count), rng.normal(-1, 1, count))
    return OperatingPoints.of(f"{words:g} words", words, known)


def test_rates_are_the_shares_of_documents_on_the_wrong_side() -> None:
    points = _points()
    assert len(points.one_hand) == KEPT and points.documents == (1000, 1000)
    alarms, misses = points.rates(0.0)
    assert alarms == pytest.approx(0.159, abs=0.03) and misses == pytest.approx(0.159, abs=0.03)
    assert points.rates(-9) == (1.0, 0.0) and points.rates(9) == (0.0, 1.0)


def test_the_length_nearest_as_a_ratio_is_taken() -> None:
    model = ModelOperatingPoints("test writers", (_points(14), _points(80)))
    assert [model.for_words(words).words for words in (1, 30, 40, 3000)] == [14, 14, 80, 80]


def test_a_file_is_read_back_and_refused_beside_another_model(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(find_model().folder, folder)
    written = ModelOperatingPoints("test writers", (_points(),))
    written.save(folder / FILE, folder)
    assert find_model(str(folder)).operating_points() == written
    (folder / "covariances.npz").write_bytes(b"other")
    with pytest.raises(CalibrationError, match="another model"):
        ModelOperatingPoints.load(folder / FILE)
    (folder / FILE).write_text('{"lengths": []}', encoding="utf-8")
    with pytest.raises(HandshiftError):
        ModelOperatingPoints.load(folder / FILE)
