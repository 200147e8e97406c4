"""ONNX graph that runs several networks and projects their concatenated vectors by LDA."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, compose, helper, numpy_helper

from handshift.core.onnx_export import ExportError
from handshift.core.onnx_session import OnnxSession
from handshift.embedding.crops.scaling import KEY, Scaling, scaling_of
from handshift.embedding.crops.word_crop import CANVASES, HEIGHT
from handshift.embedding.export.discriminant import Discriminant

ENOUGH_INK = 80
"""Inked columns from which on a word has full weight: about five letters."""
_PICTURES, _VECTORS = "pictures", "vectors"
_TOLERANCE = 1e-4


def write_joined(members: Sequence[Path], discriminant: Discriminant, path: Path) -> None:
    """Write y = s·u/|u| with u = A·(x − mean), x = [x₁, x₂, …] the members' vectors.

    Row length weights the word: s = √(inked columns / 80), at most 1. Short words carry little information on
    the writer, and their noisy directions must not look like another hand.

    Args:
        members: Exported networks.
        discriminant: LDA of their concatenated vectors.
        path: Where the joined network is written.

    Raises:
        ExportError: The written graph does not reproduce the formula, or the members need different crops.
    """
    models = [_member(onnx.load(member), f"member{number}_") for number, member in enumerate(members)]
    axes = discriminant.axes.astype(np.float32)
    offset = (-discriminant.mean @ discriminant.axes).astype(np.float32)
    constants = {
        "axes": axes,
        "offset": offset,
        "of_picture": np.array([1, 2]),
        "of_column": np.array([1]),
        "zero": np.float32(0),
        "one": np.float32(1),
        "enough": np.float32(ENOUGH_INK),
    }
    graph = helper.make_graph(
        [
            *(node for model in models for node in model.graph.node),
            *_joining([model.graph.output[0].name for model in models]),
        ],
        "joined",
        [helper.make_tensor_value_info(_PICTURES, TensorProto.FLOAT, ["words", 1, HEIGHT, "columns"])],
        [helper.make_tensor_value_info(_VECTORS, TensorProto.FLOAT, ["words", axes.shape[1]])],
        [
            *(weight for model in models for weight in model.graph.initializer),
            *(numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()),
        ],
    )
    opset = max(entry.version for model in models for entry in model.opset_import if not entry.domain)
    joined = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    joined.ir_version = max(model.ir_version for model in models)
    helper.set_model_props(joined, {KEY: _common_scaling(members).value})
    onnx.checker.check_model(joined)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(joined.SerializeToString())
    difference = max(_difference(partial, members, discriminant, width) for width in CANVASES)
    if difference > _TOLERANCE:
        partial.unlink()
        raise ExportError(f"{path}: joined vectors differ by {difference:.1e}, more than {_TOLERANCE:.0e}")
    partial.replace(path)


def _common_scaling(members: Sequence[Path]) -> Scaling:
    found = {scaling_of(member.read_bytes()) for member in members}
    if len(found) > 1:
        raise ExportError(
            "networks trained with crops of different scale cannot be joined: " + ", ".join(found)
        )
    return found.pop()


def _member(model: ModelProto, prefix: str) -> ModelProto:
    """Prefix all names of a network, except its input, which all members share."""
    model = compose.add_prefix(model, prefix)
    own = model.graph.input[0].name
    for node in model.graph.node:
        node.input[:] = [_PICTURES if name == own else name for name in node.input]
    return model


def _joining(outputs: Sequence[str]) -> list[NodeProto]:
    return [
        helper.make_node("Concat", outputs, ["x"], axis=1),
        helper.make_node("Gemm", ["x", "axes", "offset"], ["u"]),
        helper.make_node("LpNormalization", ["u"], ["direction"], axis=1, p=2),
        helper.make_node("ReduceMax", [_PICTURES, "of_picture"], ["darkest"], keepdims=0),  # (words, columns)
        helper.make_node("Greater", ["darkest", "zero"], ["has_ink"]),
        helper.make_node("Cast", ["has_ink"], ["inked"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["inked", "of_column"], ["columns_inked"], keepdims=1),  # (words, 1)
        helper.make_node("Div", ["columns_inked", "enough"], ["share"]),
        helper.make_node("Clip", ["share", "zero", "one"], ["bounded"]),
        helper.make_node("Sqrt", ["bounded"], ["row_length"]),
        helper.make_node("Mul", ["direction", "row_length"], [_VECTORS]),
    ]


def _difference(path: Path, members: Sequence[Path], discriminant: Discriminant, width: int) -> float:
    pictures = np.random.default_rng(width).random((3, 1, HEIGHT, width), np.float32)
    pictures[:, :, :, : width // 2] *= np.array([0, 0, 1], np.float32)[:, None, None, None]
    x = np.concatenate([OnnxSession(member)(pictures) for member in members], axis=1)
    u = (x - discriminant.mean) @ discriminant.axes
    inked = (pictures.max(axis=(1, 2)) > 0).sum(axis=1)
    wanted = (
        u / np.linalg.norm(u, axis=1, keepdims=True) * np.sqrt(np.minimum(inked / ENOUGH_INK, 1))[:, None]
    )
    return float(np.abs(OnnxSession(path)(pictures) - wanted).max())
