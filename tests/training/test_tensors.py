"""Weights are saved and loaded as tensors with names."""

from __future__ import annotations

from pathlib import Path

import pytest
from safetensors.torch import save_file
from torch import nn

from handshift.training import load_weights
from handshift.training.tensors import CheckpointError


def test_weights_of_another_model_are_refused_by_the_first_tensor_that_differs(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    save_file(nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5)).state_dict(), path)
    with pytest.raises(CheckpointError, match="weights of another model: size mismatch") as raised:
        load_weights(nn.Sequential(nn.Linear(2, 4), nn.Linear(4, 6)), path)
    assert "0.weight" in str(raised.value)
    assert "1.weight" not in str(raised.value)
