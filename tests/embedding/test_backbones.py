"""Any network gives unit vectors for pictures of any width, and says what it lacks."""

from __future__ import annotations

from typing import Any

import huggingface_hub.constants
import pytest
import torch
from transformers import Dinov2Config, Dinov2Model, ResNetConfig, ResNetModel, ViTConfig, ViTModel

from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.backbones.transformers_encoder import BackboneError

SMALL: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Tiny networks saved as a person would save large ones."""
    torch.manual_seed(0)
    home = tmp_path_factory.mktemp("weights")
    vit = ViTConfig(**SMALL, image_size=32, patch_size=16)
    dino = Dinov2Config(
        hidden_size=16, num_hidden_layers=1, num_attention_heads=2, patch_size=14, image_size=28
    )
    resnet = ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic")
    ViTModel(vit).save_pretrained(home / "vit")
    Dinov2Model(dino).half().save_pretrained(home / "dinov2")
    ResNetModel(resnet).save_pretrained(home / "resnet")
    return home


@pytest.mark.parametrize("name", ["small-resnet", "small-convnext"])
@pytest.mark.parametrize("width", [96, 192])
def test_a_small_network_gives_unit_rows_for_any_canvas(name, width):
    network = make_backbone(name, 32, widths=(4, 8, 16)).eval()
    vectors = network(torch.rand(3, 1, 64, width))
    assert vectors.shape == (3, 32)
    assert torch.allclose(vectors.norm(dim=1), torch.ones(3), atol=1e-5)


@pytest.mark.parametrize("name", ["small-resnet", "small-convnext"])
def test_empty_paper_beside_a_word_hardly_changes_its_vector(name):
    torch.manual_seed(1)
    network = make_backbone(name, 32, widths=(4, 8, 16)).eval()
    word = torch.zeros(1, 1, 64, 192)
    word[..., 16:48, 64:128] = torch.rand(32, 64)
    narrow, wide = network(word[..., 48:144]), network(word)
    assert (narrow * wide).sum() > 0.99


def test_a_squared_picture_does_not_depend_on_the_canvas(folders):
    network = make_backbone(str(folders / "vit"), 8).eval()
    word = torch.zeros(1, 1, HEIGHT, WIDTH)
    word[..., 16:48, WIDTH // 2 - 30 : WIDTH // 2 + 30] = torch.rand(32, 60)
    narrow = word[..., WIDTH // 2 - 48 : WIDTH // 2 + 48]
    assert torch.allclose(network(narrow), network(word), atol=1e-5)


@pytest.mark.parametrize("kind", ["vit", "dinov2", "resnet"])
def test_a_large_network_is_exported_at_every_width(folders, kind, tmp_path):
    network = make_backbone(str(folders / kind), 8, size=28 if kind == "dinov2" else None)
    assert export_embedder(network, tmp_path / "words.onnx") < 1e-4


@pytest.mark.parametrize("kind", ["vit", "dinov2", "resnet"])
def test_a_local_folder_is_loaded_without_the_hub(folders, kind, monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    network = make_backbone(str(folders / kind), 8, size=28 if kind == "dinov2" else None).eval()
    vectors = network(torch.rand(2, 1, 64, 96))
    assert vectors.shape == (2, 8) and vectors.dtype == torch.float32


def test_a_loaded_network_has_the_weights_of_the_folder(folders):
    saved = ResNetModel.from_pretrained(folders / "resnet").state_dict()
    loaded = make_backbone(str(folders / "resnet"), 8).encoder.state_dict()
    fresh = make_backbone(str(folders / "resnet"), 8, from_scratch=True).encoder.state_dict()
    key = next(name for name in saved if name.endswith("convolution.weight"))
    assert torch.equal(loaded[key], saved[key])
    assert not torch.equal(fresh[key], saved[key])


def test_a_frozen_encoder_learns_nothing_while_its_projection_does(folders):
    network = make_backbone(str(folders / "resnet"), 8, frozen=True).train()
    statistics = [buffer.clone() for buffer in network.encoder.buffers()]
    network(torch.rand(4, 1, 64, 96)).sum().backward()
    assert all(parameter.grad is None for parameter in network.encoder.parameters())
    assert all(map(torch.equal, statistics, network.encoder.buffers()))
    assert all(parameter.grad is not None for parameter in network.project.parameters())


def test_ink_is_shown_as_black_on_white_in_the_encoders_own_scale(folders):
    network = make_backbone(str(folders / "vit"), 8).eval()
    seen = []
    network.encoder.register_forward_pre_hook(lambda _, given: seen.append(given[0]))
    network(torch.zeros(1, 1, 64, 96))
    white = (1 - torch.tensor([0.485, 0.456, 0.406])) / torch.tensor([0.229, 0.224, 0.225])
    assert seen[0].shape == (1, 3, 32, 32)
    assert torch.allclose(seen[0][0, :, 0, 0], white)


def test_the_sources_head_has_its_layers(folders):
    network = make_backbone(str(folders / "vit"), 128, hidden=512)
    layers = [type(layer).__name__ for layer in network.project]
    assert layers == ["Linear", "BatchNorm1d", "ReLU", "Dropout", "Linear", "BatchNorm1d"]
    assert network.project[0].out_features == 512 and network.project[3].p == 0.2


def test_weights_that_are_nowhere_are_asked_for_by_place(monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(BackboneError, match=r"microsoft/resnet-18 .*--local-dir FOLDER.*--from-scratch"):
        make_backbone("resnet18")


def test_an_unfit_folder_or_name_is_refused(tmp_path, folders):
    with pytest.raises(BackboneError, match=r"no config\.json"):
        make_backbone(str(tmp_path))
    with pytest.raises(BackboneError, match="resnet18, resnet50"):
        make_backbone("nonesuch", from_scratch=True)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(BackboneError, match="type 'bert'"):
        make_backbone(str(tmp_path), from_scratch=True)
    with pytest.raises(BackboneError, match="size 64"):
        make_backbone(str(folders / "vit"), size=64)
