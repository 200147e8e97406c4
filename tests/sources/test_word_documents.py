"""Documents that come as word pictures are examined as they were calibrated: word by word."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from drawn_words import WORDS
from run_handshift import handshift
from typer.testing import CliRunner

import handshift as hs
from handshift.cli import app
from handshift.embedding.crops.file_contents import FileContents
from handshift.embedding.embedder import Embedder
from handshift.pipeline.embed_files import embed_files
from handshift.pipeline.examiner import Examiner
from handshift.pipeline.word_documents import document_in, documents_of, embed_word_document


@pytest.fixture(scope="module")
def letter(corpus, tmp_path_factory) -> Path:
    """Nine words of a writer, the first three by another, and a picture without ink."""
    folder = tmp_path_factory.mktemp("document") / "letter"
    folder.mkdir()
    for place, word in enumerate(WORDS):
        writer = "0001" if place < 3 else "0004"
        shutil.copy(corpus / writer / f"{word}_0.png", folder / f"{place + 1}-{word}.png")
    shutil.copy(folder / "1-our.png", folder / "10-again.png")
    return folder


@pytest.fixture(scope="module")
def word_model(tiny_model, tmp_path_factory) -> str:
    """The tiny model, said to be calibrated on word pictures."""
    folder = tmp_path_factory.mktemp("model") / "words"
    shutil.copytree(tiny_model, folder)
    card = json.loads((folder / "card.json").read_text())
    (folder / "card.json").write_text(json.dumps({**card, "reads": "word"}))
    return str(folder)


def test_words_stand_in_the_order_of_their_names(letter):
    (document,) = documents_of(letter)
    assert [path.name for path in document.pictures][-2:] == ["9-Berlin.png", "10-again.png"]


def test_vectors_are_those_that_training_and_embedding_read(letter, tiny_model):
    embedder = Embedder(Path(tiny_model) / "words.onnx", 1)
    document = document_in(letter)
    found = embed_word_document(embedder, document)
    assert np.allclose(found.vectors, embed_files(embedder, document.pictures, FileContents.WORD).weighed)
    for word in found.page.words:
        assert found.page.image[word.box.y : word.box.y + word.box.height].min() < 128, "shown on the sheet"


def test_a_model_calibrated_on_word_pictures_examines_a_folder_without_being_told(
    letter, word_model, tmp_path
):
    printed = handshift(
        "examine", letter, "--model", word_model, "--json", tmp_path / "f.json", "--no-report"
    )
    (page,) = json.loads((tmp_path / "f.json").read_text())["pages"]
    assert page["scope"]["inside"] and len(page["words"]) == 10 and "letter" in printed
    verdict = hs.examine(letter, model=word_model)
    assert verdict.log10_lr == pytest.approx(page["log10_lr"], abs=1e-9)


def test_every_page_of_the_source_s_layout_is_a_document(corpus, word_model):
    names = [verdict.page.source.name for verdict in Examiner(word_model, threads=1).examine(corpus)]
    assert len(names) == 6 * 4 and names[:2] == ["0000_r00", "0000_r01"]


def test_a_model_of_pages_states_no_ratio_for_word_pictures_unless_asked_for(letter, tiny_model, tmp_path):
    given = ["examine", str(letter), "--model", tiny_model, "--cut", "word", "--no-report"]
    printed = CliRunner().invoke(app, [*given, "--json", str(tmp_path / "f.json")])
    assert "calibrated on scanned pages, not on pictures of single words" in " ".join(printed.output.split())
    (page,) = json.loads((tmp_path / "f.json").read_text())["pages"]
    assert page["scope"]["weight"] == 0 and page["log10_lr"] == 0


def test_a_scan_in_place_of_a_folder_is_refused_with_what_to_give(letter, word_model):
    ended = CliRunner().invoke(app, ["examine", str(letter / "1-our.png"), "--model", word_model])
    assert ended.exit_code == 3
    assert "give the folder that holds the document's word pictures" in " ".join(ended.output.split())


def test_copies_of_a_word_are_no_words_of_their_own(letter, word_model, tmp_path):
    folder = tmp_path / "letter"
    folder.mkdir()
    for place in range(4):
        shutil.copy(letter / "1-our.png", folder / f"{place}-our.png")
    ended = CliRunner().invoke(app, ["examine", str(folder), "--model", word_model])
    assert ended.exit_code == 3
    assert "4 legible words, 3 of them copies of another" in " ".join(ended.output.split())
    for place in range(2, 5):
        shutil.copy(letter / f"{place}-{WORDS[place - 1]}.png", folder)
    assert hs.examine(folder, model=word_model).words


def test_a_picture_without_ink_is_skipped_with_a_warning(letter, word_model, tmp_path):
    import cv2

    folder = tmp_path / "letter"
    shutil.copytree(letter, folder)
    cv2.imwrite(str(folder / "11-blank.png"), np.full((50, 110), 255, np.uint8))
    verdict = hs.examine(folder, model=word_model)
    assert len(verdict.words) == 10
    assert any("11-blank.png was skipped: no ink" in warning for warning in verdict.warnings)
