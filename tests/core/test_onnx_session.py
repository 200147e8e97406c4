"""A network is loaded from the bytes that were hashed, or refused with its path."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.core.onnx_session import OnnxSession
from handshift.models import shipped_models

SHIPPED = Path(shipped_models.__file__).parent / "words-3" / "relation-net.onnx"


def test_a_session_knows_its_names_and_the_checksum_of_what_it_loaded():
    session = OnnxSession(SHIPPED)
    assert (session.input_names, session.output_names) == (("words", "mask"), ("logit", "contribution"))
    assert session.metadata["name"] == "relation-net"
    assert session.sha256 == hashlib.sha256(SHIPPED.read_bytes()).hexdigest()


def test_truncated_and_scrambled_networks_are_one_clear_error(tmp_path: Path):
    whole, path = SHIPPED.read_bytes(), tmp_path / "net.onnx"
    random = np.random.default_rng(0)
    for length in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(HandshiftError, match=r"net\.onnx"):
            OnnxSession(path)
    path.write_bytes(random.bytes(5000))
    with pytest.raises(HandshiftError, match=r"net\.onnx"):
        OnnxSession(path)


def test_a_missing_network_and_a_folder_are_named(tmp_path: Path):
    with pytest.raises(HandshiftError, match=r"absent\.onnx: cannot be read"):
        OnnxSession(tmp_path / "absent.onnx")
    with pytest.raises(HandshiftError, match="not a regular file"):
        OnnxSession(tmp_path)


def test_a_session_does_not_depend_on_its_file_once_loaded(tmp_path: Path):
    path = Path(shutil.copy(SHIPPED, tmp_path))
    session = OnnxSession(path)
    path.unlink()
    words = np.random.default_rng(1).standard_normal((1, 5, 48)).astype(np.float32)
    logit, contribution = session.run(words=words, mask=np.ones((1, 5), bool))
    assert logit.shape == (1,) and contribution.shape == (1, 5)


@pytest.mark.parametrize("location", ["../secret.bin", "a/../../secret.bin"])
def test_a_network_that_names_weights_outside_its_folder_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str
):
    onnx = pytest.importorskip("onnx")
    (tmp_path / "secret.bin").write_bytes(np.arange(4, dtype=np.float32).tobytes())
    (tmp_path / "model" / "a").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "model")
    weights = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=[4])
    weights.data_location = onnx.TensorProto.EXTERNAL
    weights.external_data.add(key="location", value=location)
    output = onnx.helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [4])
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["w"], ["y"])], "g", [], [output], [weights]
    )
    opset = [onnx.helper.make_opsetid("", 17)]
    model = onnx.helper.make_model(graph, opset_imports=opset, ir_version=9)
    (tmp_path / "model" / "net.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(HandshiftError, match=r"net\.onnx"):
        OnnxSession(tmp_path / "model" / "net.onnx").run()
