"""Pictures cut before are used again only if they are those that would be cut now."""

from __future__ import annotations

import json

import numpy as np
import pytest
from drawn_shapes import draw_identities

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.embedding.crops import crop_cache as cutting
from handshift.embedding.crops.crop_cache import words_of
from handshift.embedding.crops.file_contents import Cut
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH


@pytest.fixture
def corpus(tmp_path):
    return read_corpus(draw_identities(tmp_path / "shapes", identities=3, each=2))


@pytest.fixture
def cuts(monkeypatch):
    """How often a corpus is cut; in this process, for processes take a second to start."""
    count = []

    def collect(corpus, folder, cut):
        count.append(cut)
        folder.mkdir(parents=True, exist_ok=True)
        np.save(folder / "crops.npy", np.ones((len(corpus.samples), HEIGHT, WIDTH), np.uint8))
        rows = [f"{sample.path.name},{sample.writer},0," for sample in corpus.samples]
        (folder / "words.csv").write_text("\n".join(["page,writer,session,prompt", *rows]) + "\n")
        yield from (1 for _ in corpus.samples)

    monkeypatch.setattr(cutting, "collect", collect)
    return count


def test_the_same_corpus_is_cut_once(corpus, cuts, tmp_path):
    for _ in range(2):
        words_of(corpus, tmp_path / "words", Cut.PICTURE)
    assert cuts == [Cut.PICTURE]


def test_without_being_told_it_is_cut_as_the_last_time(corpus, cuts, tmp_path):
    words_of(corpus, tmp_path / "words", Cut.PICTURE)
    words_of(corpus, tmp_path / "words")
    assert cuts == [Cut.PICTURE]
    words_of(corpus, tmp_path / "others")
    assert cuts[-1] == Cut.PAGE


@pytest.mark.parametrize("field", ["height", "width", "letter_size", "cut", "corpus"])
def test_what_was_cut_otherwise_is_cut_anew_and_said(corpus, cuts, tmp_path, capsys, field):
    folder = tmp_path / "words"
    words_of(corpus, folder, Cut.PICTURE)
    record = json.loads((folder / "words.json").read_text())
    (folder / "words.json").write_text(json.dumps({**record, field: "word" if field == "cut" else 1}))
    words_of(corpus, folder, Cut.PICTURE)
    assert len(cuts) == 2
    assert f"its {field.replace('_', ' ')} differ" in " ".join(capsys.readouterr().err.split())
    assert json.loads((folder / "words.json").read_text()) == record


def test_a_picture_more_makes_it_another_corpus(corpus, cuts, tmp_path):
    words_of(corpus, tmp_path / "words", Cut.PICTURE)
    extra = corpus.samples[0].path
    (extra.parent / "more.png").write_bytes(extra.read_bytes())
    assert len(words_of(read_corpus(corpus.root), tmp_path / "words", Cut.PICTURE).crops) == 7
    assert len(cuts) == 2


def test_a_folder_from_before_records_is_judged_by_its_canvas(corpus, cuts, tmp_path):
    folder = tmp_path / "words"
    words_of(corpus, folder)
    (folder / "words.json").unlink()
    words_of(corpus, folder)
    assert len(cuts) == 1
    (folder / "words.json").unlink(missing_ok=True)
    np.save(folder / "crops.npy", np.zeros((6, HEIGHT, WIDTH + 8), np.uint8))
    words_of(corpus, folder)
    assert len(cuts) == 2


def test_files_that_are_no_pages_are_told_from_ones_that_are(tmp_path, monkeypatch, corpus):
    def collect(corpus, folder, cut):
        np.save(folder / "crops.npy", np.zeros((0, HEIGHT, WIDTH), np.uint8))
        (folder / "words.csv").write_text("page,writer,session,prompt\n")
        yield from (0 for _ in corpus.samples)

    monkeypatch.setattr(cutting, "collect", collect)
    with pytest.raises(HandshiftError, match="--cut page, word or picture"):
        words_of(corpus, tmp_path / "words")
