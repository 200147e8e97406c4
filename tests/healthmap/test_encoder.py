"""A frozen encoder gives two groups of features on any grid."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from tiny_encoder import write_encoder

from handshift.core.onnx_session import OnnxSession
from handshift.embedding.train.backbones.transformers_encoder import BackboneError
from handshift.healthmap.encoder import FrozenEncoder, load_frozen_encoder, middle_blocks
from handshift.healthmap.export_encoder import export_map_network


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_encoder(tmp_path_factory.mktemp("encoder"))


def test_the_published_blocks_are_chosen_and_fewer_of_a_small_encoder():
    assert middle_blocks(12) == ((2, 3, 4, 5), (6, 7, 8, 9))
    assert middle_blocks(24) == ((4, 6, 8, 10), (12, 14, 16, 18))
    assert middle_blocks(6) == ((1, 2), (3, 4))
    assert middle_blocks(4) == ((1,), (2,))
    with pytest.raises(ValueError, match="too shallow"):
        middle_blocks(1)


def test_groups_are_means_over_the_blocks_of_the_whole_network(folder: Path):
    from transformers import Dinov2Model

    encoder = load_frozen_encoder(str(folder), (3, 5))
    pictures = torch.rand(2, 1, *encoder.size)
    whole = Dinov2Model.from_pretrained(folder).eval()
    with torch.no_grad():
        states = whole((pictures - 0.2) / 0.1, output_hidden_states=True).hidden_states
        features = encoder(pictures)
    assert features.shape == (2, 2, 15, 16)
    torch.testing.assert_close(features[:, 0], states[2][:, 1:])  # state 0 is the embedding
    torch.testing.assert_close(features[:, 1], states[3][:, 1:])


def test_a_vit_of_photographs_takes_grey_maps_on_a_grid_it_was_not_made_for():
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(
        hidden_size=16, num_hidden_layers=4, num_attention_heads=2, intermediate_size=32, image_size=32,
        patch_size=8,
    )  # fmt: skip
    encoder = FrozenEncoder(ViTModel(config, add_pooling_layer=False), (2, 6))
    assert encoder(torch.rand(1, 1, 16, 48)).shape == (1, 2, 12, 16)


def test_another_weight_or_grid_is_another_encoder(folder: Path, tmp_path: Path):
    prints = {
        load_frozen_encoder(str(folder), (3, 5)).fingerprint(),
        load_frozen_encoder(str(folder), (3, 6)).fingerprint(),
        load_frozen_encoder(str(write_encoder(tmp_path / "other", seed=1)), (3, 5)).fingerprint(),
    }
    assert len(prints) == 3
    assert load_frozen_encoder(str(folder), (3, 5)).fingerprint() in prints


def test_the_exported_encoder_gives_the_same_features(folder: Path, tmp_path: Path):
    encoder = load_frozen_encoder(str(folder), (2, 3))
    example = torch.rand(5, 1, *encoder.size)
    export_map_network(encoder, example, tmp_path / "encoder.onnx", "pictures", "features")
    given = OnnxSession(tmp_path / "encoder.onnx")(example.numpy())
    with torch.no_grad():
        np.testing.assert_allclose(given, encoder(example).numpy(), atol=1e-4)


def test_a_folder_without_an_encoder_is_refused(tmp_path: Path):
    with pytest.raises(BackboneError, match="no config"):
        load_frozen_encoder(str(tmp_path), (2, 2))
