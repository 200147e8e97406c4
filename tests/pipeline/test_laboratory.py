"""A laboratory's writers are dealt out to calibration and test; too few are refused."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.core.model_card import ModelCard
from handshift.models.shipped_models import find_model
from handshift.pipeline import laboratory
from handshift.pipeline.calibrate_model import CalibratedModel
from handshift.pipeline.laboratory import FEWEST_IN_ALL, calibrate_laboratory, draw_split


def writers(folder: Path, count: int) -> Path:
    for number in range(count):
        own = folder / f"w{number:02}"
        own.mkdir(parents=True)
        for page in range(2):
            cv2.imwrite(str(own / f"p{page}.png"), np.full((8, 8), 255, np.uint8))
    return folder


def test_three_fifths_calibrate_and_the_others_validate(tmp_path: Path) -> None:
    parts = draw_split(writers(tmp_path, 30), seed=1).parts
    assert {part: len(names) for part, names in parts.items()} == {"calibration": 18, "test": 12}
    assert draw_split(tmp_path, seed=1).parts == parts


def test_few_writers_still_leave_ten_on_either_side(tmp_path: Path) -> None:
    parts = draw_split(writers(tmp_path, FEWEST_IN_ALL), seed=1).parts
    assert len(parts["calibration"]) == len(parts["test"]) == 10


def test_too_few_writers_are_refused_with_the_number_needed(tmp_path: Path) -> None:
    with pytest.raises(HandshiftError, match="12 writers; a laboratory's calibration needs 20"):
        calibrate_laboratory("words-3", writers(tmp_path, 12), tmp_path / "lab-1")


def test_the_card_keeps_training_and_licence_of_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def calibrated(network: Path, data: Path, split: Path, out: Path, **_: object) -> CalibratedModel:
        ModelCard("lab-1", "ours", "0 writers of lab", "ours", "not tested", "none").save(out / "card.json")
        return CalibratedModel(out, (-1.0, 1.0), (-1.0, 1.0))

    monkeypatch.setattr(laboratory, "calibrate_model", calibrated)
    monkeypatch.setattr(laboratory, "_fit_scope", lambda *_: "")
    calibrate_laboratory("words-4", writers(tmp_path / "lab", 30), tmp_path / "lab-1")
    card, shipped = ModelCard.load(tmp_path / "lab-1" / "card.json"), find_model("words-4").card
    assert (card.trained_on, card.licence) == (shipped.trained_on, shipped.licence)
    assert "non-commercial" in card.licence and card.summary == "ours"
