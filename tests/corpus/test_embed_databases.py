"""Several databases become one folder of vectors and one split, as detectors and calibration want them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from drawn_databases import draw_all
from typer.testing import CliRunner

from handshift.cli.corpus import app
from handshift.core.errors import HandshiftError
from handshift.corpus.split import WriterSplit
from handshift.embedding.crops.scaling import Scaling
from handshift.embedding.embed_databases import embed_databases
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.word_vectors import WordVectors, vectors_by_network

NAMES = ["csafe", "dhsd"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("place")
    draw_all(place / "data")
    named = [part for name in NAMES for part in ("--database", name)]
    for command in (["split"], ["cut", "--workers", "1"]):
        out = ["--out", str(place / ("splits" if command[0] == "split" else "words"))]
        done = CliRunner().invoke(app, [*command, str(place / "data"), *out, *named])
        assert done.exit_code == 0, done.output
    torch.manual_seed(0)
    network = make_backbone("small-resnet", 8, widths=(8, 16, 24)).eval()
    export_embedder(network, place / "writing.onnx", Scaling.WRITING)
    export_embedder(network, place / "sheet.onnx")
    return place


def test_writers_of_all_databases_are_in_one_table_and_one_split(place: Path) -> None:
    options = ["--words", str(place / "words"), "--splits", str(place / "splits"), "--database", "csafe"]
    options += ["--database", "dhsd", "--network", str(place / "writing.onnx"), "--out", str(place / "all")]
    done = CliRunner().invoke(app, ["embed", str(place / "data"), *options])
    assert done.exit_code == 0, done.output
    found = vectors_by_network(place / "writing.onnx", place / "all")
    split = WriterSplit.load(place / "all" / "split.json", known=set(found.writer))
    assert split.corpus == "csafe+dhsd"
    assert {name.partition("/")[0] for name in found.writer} == set(NAMES)
    assert set(found.prompt[[writer.startswith("dhsd") for writer in found.writer]]) == {"dhsd"}
    assert "dhsd" not in set(found.prompt[[writer.startswith("csafe") for writer in found.writer]])


def test_only_the_parts_asked_for_are_embedded(place: Path) -> None:
    given = (place / "data", place / "words", place / "splits", NAMES, place / "writing.onnx")
    some = embed_databases(*given, place / "some", parts=["train"])
    assert set(WordVectors.load(place / "some").writer) <= set(some.split.parts["train"])
    assert list(some.split.parts) == ["train"]


def test_a_network_for_other_crops_is_refused(place: Path) -> None:
    with pytest.raises(HandshiftError, match="scaled by the sheet"):
        embed_databases(
            place / "data", place / "words", place / "splits", NAMES, place / "sheet.onnx", place / "no"
        )


def test_each_drawn_page_is_a_session_since_its_pen_is_its_own(place: Path) -> None:
    data, words = place / "data", place / "words"
    cut = CliRunner().invoke(
        app, ["cut", str(data), "--out", str(words), "--workers", "1", "--database", "fonts-korean"]
    )
    split = CliRunner().invoke(
        app, ["split", str(data), "--out", str(place / "splits"), "--database", "fonts-korean"]
    )
    assert (cut.exit_code, split.exit_code) == (0, 0), cut.output + split.output
    names = ["csafe", "fonts-korean"]
    found = embed_databases(
        data, words, place / "splits", names, place / "writing.onnx", place / "drawn"
    ).vectors
    drawn = np.char.startswith(found.writer, "fonts-korean")
    pages = {(page, session) for page, session in zip(found.page[drawn], found.session[drawn], strict=True)}
    assert len(pages) == len({page for page, _ in pages}) == len({session for _, session in pages}) > 1
    assert set(found.session[~drawn]) == {1, 2}
