"""What is exported gives the vectors of what was trained, or is not written."""

from __future__ import annotations

import numpy as np
import onnx
import pytest
import torch

from handshift.core.onnx_export import ExportError
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH, by_width
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.float16 import write_float16
from handshift.embedding.export.int8 import write_int8
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone


@pytest.fixture
def network():
    torch.manual_seed(0)
    return make_backbone("small-resnet", 16, widths=(16, 32, 64)).eval()


@pytest.fixture
def crops():
    """Blots of all widths."""
    rng = np.random.default_rng(0)
    crops = np.zeros((48, HEIGHT, WIDTH), np.uint8)
    for crop in crops:
        half = rng.integers(10, WIDTH // 2)
        ink = rng.integers(0, 2, (32, 2 * half)) * 255
        crop[16:48, WIDTH // 2 - half : WIDTH // 2 + half] = ink
    return crops


def test_a_file_gives_the_networks_vectors_at_every_width(network, crops, tmp_path):
    assert export_embedder(network, tmp_path / "words.onnx") < 1e-5
    vectors = Embedder(tmp_path / "words.onnx", 1).embed_crops(crops)
    for rows, pictures in by_width(crops):
        with torch.no_grad():
            wanted = network(torch.from_numpy(pictures[:, None] / np.float32(255)))
        assert np.allclose(vectors[rows], wanted.numpy(), atol=1e-5)


def test_a_file_that_would_differ_is_not_written(network, tmp_path):
    class Moody(torch.nn.Module):
        """Answers the exporter otherwise than the user."""

        def __init__(self):
            super().__init__()
            self.network = network

        def forward(self, pictures):
            tracing = torch.jit.is_tracing()  # type: ignore[attr-defined]
            return self.network(pictures) * (1.0 if tracing else 0.9)

    with pytest.raises(ExportError, match="differ by"):
        export_embedder(Moody(), tmp_path / "words.onnx")
    assert not list(tmp_path.iterdir())


def test_half_the_size_gives_nearly_the_same_vectors(network, crops, tmp_path):
    whole, half = tmp_path / "words.onnx", tmp_path / "half.onnx"
    export_embedder(network, whole)
    write_float16(whole, half)
    kinds = {weight.data_type for weight in onnx.load(half).graph.initializer if len(weight.dims) > 1}
    assert kinds == {onnx.TensorProto.FLOAT16}
    assert half.stat().st_size < 0.56 * whole.stat().st_size
    first, second = (Embedder(path, 1).embed_crops(crops) for path in (whole, half))
    assert np.abs(first - second).max() < 5e-3 and not np.array_equal(first, second)


def test_weights_too_large_for_float16_are_refused(network, tmp_path):
    export_embedder(network, tmp_path / "words.onnx")
    model = onnx.load(tmp_path / "words.onnx")
    weight = max(model.graph.initializer, key=lambda weight: len(weight.raw_data))
    values = onnx.numpy_helper.to_array(weight) * np.float32(1e7)
    weight.CopyFrom(onnx.numpy_helper.from_array(values, weight.name))
    onnx.save(model, tmp_path / "large.onnx")
    with pytest.raises(ExportError, match="exceeds the range of float16"):
        write_float16(tmp_path / "large.onnx", tmp_path / "half.onnx")


def test_eight_bits_take_a_third_and_point_the_same_way(network, crops, tmp_path):
    whole, small = tmp_path / "words.onnx", tmp_path / "int8.onnx"
    export_embedder(network, whole)
    write_int8(whole, small, crops[:32])
    assert small.stat().st_size < 0.4 * whole.stat().st_size
    first, second = (Embedder(path, 1).embed_crops(crops) for path in (whole, small))
    assert np.einsum("nd,nd->n", first, second).min() > 0.98
