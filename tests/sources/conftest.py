"""What the rows of docs/sources.md run on: drawn words in the source's layout, and an untrained network."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from drawn_words import draw_source_layout
from run_handshift import handshift

from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone


@pytest.fixture(scope="session")
def corpus(tmp_path_factory) -> Path:
    return draw_source_layout(tmp_path_factory.mktemp("source") / "words")


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory) -> Path:
    """A training's folder with words.onnx, without card or calibration."""
    folder = tmp_path_factory.mktemp("runs") / "arc"
    folder.mkdir()
    torch.manual_seed(0)
    export_embedder(make_backbone("small-resnet", 16, widths=(4, 6, 8)), folder / "words.onnx")
    return folder


@pytest.fixture(scope="session")
def vectors(corpus, run_folder, tmp_path_factory) -> Path:
    """The folder that stage 1 writes."""
    out = tmp_path_factory.mktemp("stage1") / "vectors"
    handshift("embed", corpus, "--model", run_folder, "--out", out, "--csv", out.parent / "vectors.csv")
    return out
