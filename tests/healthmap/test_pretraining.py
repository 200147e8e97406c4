"""A small encoder is made of nothing but drawn maps, and one is shipped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from handshift.core.model_card import ModelCard
from handshift.core.onnx_session import OnnxSession
from handshift.healthmap.encoder import SHIPPED, load_frozen_encoder
from handshift.healthmap.pretraining.masked_image_modelling import MaskedTask, PretrainingRecipe
from handshift.healthmap.pretraining.pretrain import (
    ONNX,
    EncoderPretraining,
    command_of,
    draw_maps,
    resizing_of,
)
from handshift.models.shipped_models import MODELS_FOLDER

TINY = PretrainingRecipe(width=16, depth=4, heads=1, steps=3, batch=2)


def test_drawn_maps_are_positive_and_the_same_for_the_same_chance():
    maps = draw_maps(np.random.default_rng(1), 40)
    assert maps.shape == (40, 31, 95)
    assert maps.dtype == np.float32
    assert maps.min() > 0
    assert 0.15 < np.median(maps) < 0.4
    np.testing.assert_array_equal(maps, draw_maps(np.random.default_rng(1), 40))


def test_only_what_is_covered_must_be_guessed_without_being_seen():
    task = MaskedTask(TINY, resizing_of(TINY), draw_maps)
    batch = {name: torch.from_numpy(values) for name, values in task.batch(0).items()}
    assert batch["mask"].sum(dim=1).tolist() == [48, 48]
    changed = batch["pictures"].clone()
    rows, columns = divmod(int(batch["mask"][0].nonzero()[0]), 12)
    changed[0, 0, 8 * rows : 8 * rows + 8, 8 * columns : 8 * columns + 8] += 5
    task.module.eval()
    with torch.no_grad():
        before, after = (task.module(p, batch["mask"]) for p in (batch["pictures"], changed))
    torch.testing.assert_close(before, after)


def test_pretraining_leaves_an_encoder_that_training_can_use(tmp_path: Path):
    card = EncoderPretraining(tmp_path / "mine", TINY).run(progress_bar=False)
    assert card.id == "mine"
    encoder = load_frozen_encoder(str(tmp_path / "mine"), (8, 12))
    pictures = torch.rand(1, 1, 64, 96)
    given = OnnxSession(tmp_path / "mine" / ONNX)(pictures.numpy())
    np.testing.assert_allclose(given, encoder(pictures).numpy(), atol=1e-3)


def test_the_shipped_encoder_is_small_and_has_its_card():
    folder = MODELS_FOLDER / SHIPPED
    assert (folder / "model.safetensors").stat().st_size < 3e6
    assert (folder / ONNX).stat().st_size < 3e6
    assert ModelCard.load(folder / "card.json").id == SHIPPED
    encoder = load_frozen_encoder(None, (8, 12))
    assert encoder(torch.rand(1, 1, *encoder.size)).shape == (1, 2, 96, 96)


@pytest.mark.parametrize("grid", [(4, 6), (8, 12), (3, 20)])
def test_the_shipped_encoder_takes_other_grids(grid: tuple[int, int]):
    encoder = load_frozen_encoder(SHIPPED, grid)
    assert encoder(torch.rand(1, 1, *encoder.size)).shape == (1, 2, grid[0] * grid[1], 96)


def test_the_card_tells_the_command_that_makes_the_encoder() -> None:
    assert command_of("maps-1", PretrainingRecipe()) == "handshift maps pretrain --out maps-1"
    smaller = PretrainingRecipe(width=64, heads=2, steps=10)
    assert command_of("small", smaller) == "handshift maps pretrain --out small --width 64 --steps 10"
