"""The studies of embeddings, in small, on drawn shapes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from drawn_shapes import draw_identities

from handshift.corpus.layouts import read_corpus
from handshift.embedding.cleaning.angles import Angles
from handshift.embedding.crops.collection import collect
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.train.load import load_training
from handshift.study.tasks import embed_cleaning, embed_margins

RECIPE = {"widths": [6, 8, 12], "dimensions": 12, "batch": 24, "steps": 40, "evaluate_every": 40}
RECIPE |= {"window": 48, "kindred": 0, "rate": 1e-2, "scale": 8, "margin_size": 0.1}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Twelve identities cut to pictures, and a split of them."""
    place = tmp_path_factory.mktemp("shapes")
    corpus = read_corpus(draw_identities(place / "shapes", identities=12, each=12))
    for _ in collect(corpus, place / "words", FileContents.PICTURE, workers=1):
        pass
    names = sorted(corpus.writers)
    parts = {"train": names[:8], "validation": names[8:10], "test": names[10:]}
    split = place / "split.json"
    split.write_text(json.dumps({"corpus": "shapes", "seed": 1, "parts": parts}))
    return {"words": place / "words", "split": split, "shrink": 2, "recipe": RECIPE}


def test_a_run_of_the_margin_study_can_be_opened_again(config: dict[str, object], tmp_path: Path) -> None:
    outcome = embed_margins.run(embed_margins.MarginConfig.model_validate(config), 1, tmp_path)
    assert 0 <= outcome.metrics["other session"]["auroc"] <= 1
    trained = load_training(tmp_path)
    assert len(trained.writers) == 8
    assert trained.canvas == (32, 48)


def test_the_drop_and_the_training_after_it_ask_one_first_round(
    config: dict[str, object], tmp_path: Path
) -> None:
    found = {}
    for training in ("sub-center", "cleaned"):
        asked = embed_cleaning.CleaningConfig.model_validate({**config, "training": training})
        found[training] = embed_cleaning.run(asked, 1, tmp_path / training).metrics["other session"]
    assert found["sub-center"]["drop_recall"] == found["cleaned"]["drop_recall"]
    assert found["sub-center"]["random_precision"] == pytest.approx(0.3, abs=0.01)
    angles = Angles.load(tmp_path / "training" / "first_seed1" / "round")
    assert angles.rows.size == 8 * 12
    assert not list((tmp_path / "sub-center").rglob("*.safetensors")), "it needs no training of its own"


def test_the_figures_of_a_drop_are_shares_of_what_is_wrong_and_dropped() -> None:
    angle = np.array([10.0, 80.0, 85.0, 20.0, 90.0])
    nobody = np.zeros(5, str)
    angles = Angles(np.arange(5), angle, nobody, angle, angle - 30)
    wrong = np.array([False, True, True, True, False])
    found = embed_cleaning.drop_figures(angles, wrong, 75)
    assert found["drop_precision"] == found["drop_recall"] == pytest.approx(2 / 3)
    assert (found["random_precision"], found["random_recall"]) == pytest.approx((0.6, 0.6))
    assert found["noise_left"] == pytest.approx(0.5)
    assert found["learnt_dropped"] == 0
