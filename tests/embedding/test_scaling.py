"""A network says what the scale of its crops is taken from, and every page is drawn for it that way."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from handshift.core.errors import HandshiftError
from handshift.core.onnx_metadata import onnx_metadata
from handshift.core.onnx_session import OnnxSession
from handshift.corpus.scribes.demo_pages import demo_one_hand
from handshift.embedding.crops.crop_cache import CropRecord
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.crops.scaling import Scaling, scaling_named, scaling_of
from handshift.embedding.crops.word_crop import CROP_FORMAT
from handshift.embedding.embedder import Embedder
from handshift.embedding.export.float16 import write_float16
from handshift.embedding.export.onnx import export_embedder
from handshift.embedding.train.backbones import make_backbone
from handshift.models.shipped_models import find_model
from handshift.page.segment import segment


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("network") / "words.onnx"
    export_embedder(make_backbone("small-resnet", 8, widths=(8, 16, 24)).eval(), path, Scaling.WRITING)
    return path


def test_the_scaling_is_read_from_the_file_as_onnxruntime_reads_it(network, tmp_path):
    content = network.read_bytes()
    assert onnx_metadata(content) == OnnxSession(network).metadata == {"scale": "writing"}
    assert scaling_of(content) is Embedder(network).scaling is Scaling.WRITING
    write_float16(network, tmp_path / "half.onnx")
    assert Embedder(tmp_path / "half.onnx").scaling is Scaling.WRITING


def test_damaged_files_have_no_metadata(network):
    content = network.read_bytes()
    assert onnx_metadata(content[: len(content) // 2]) == {}
    assert onnx_metadata(b"\xff" * 100) == {}


def test_a_network_without_a_word_on_it_was_trained_by_the_sheet():
    model = find_model("words-3")
    assert model.scaling() is Scaling.SHEET
    assert Scaling.SHEET.crop_format == CROP_FORMAT, "calibrations made before networks stated it stay valid"
    assert Scaling.WRITING.crop_format != CROP_FORMAT


def test_an_unknown_scaling_is_refused():
    with pytest.raises(HandshiftError, match="'moon'"):
        scaling_named("moon")


@pytest.mark.parametrize("factor", [2.0, 0.75])
def test_crops_by_the_writing_do_not_depend_on_resolution_or_sheet(factor):
    image = demo_one_hand().image
    wide = cv2.copyMakeBorder(image, 40, 40, 400, 400, cv2.BORDER_REPLICATE)
    resized = cv2.resize(wide, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    heights = []
    for picture in (image, np.asarray(resized, np.uint8)):
        found = segment(picture)
        legible = Scaling.WRITING.legible(found)
        words = [word for word, readable in zip(found.words, legible, strict=True) if readable]
        crops = Scaling.WRITING.crops(found, words)
        assert len(crops) == legible.sum()
        heights.append(np.median(crops.any(axis=2).sum(axis=1)))
    assert heights[1] == pytest.approx(heights[0], rel=0.08)


def with_note(words: int, factor: float) -> NDArray[np.bool_]:
    """Which words of a note are legible, whose writing is smaller than that of its page."""
    found = segment(demo_one_hand().image)
    note = [
        replace(word, added=True, ink=cv2.resize(word.ink, None, fx=factor, fy=factor))
        for word in found.words[:words]
    ]
    page = replace(found, words=(*found.words, *note))
    return Scaling.WRITING.legible(page)[-words:]


@pytest.mark.parametrize("words", [5, 12])
def test_a_note_in_a_smaller_hand_than_the_text_is_legible(words):
    assert with_note(words, 0.4).mean() > 0.8


def test_marks_beside_the_text_far_smaller_than_its_letters_are_no_note():
    assert not with_note(12, 0.15).any()


def test_cached_crops_of_another_scaling_are_not_reused(tmp_path):
    record = CropRecord(64, 240, 16.5, FileContents.PAGE.value, "x")
    record.save(tmp_path)
    other = CropRecord(64, 240, 16.5, FileContents.PAGE.value, "x", scaling="writing")
    assert record.differences(tmp_path) == []
    assert other.differences(tmp_path) == ["scaling"]
