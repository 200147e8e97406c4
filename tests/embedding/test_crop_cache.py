"""Pictures cut before are used again only if they are those that would be cut now."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from drawn_shapes import draw_identities
from PIL import Image

from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.embedding.crops import crop_cache as cutting
from handshift.embedding.crops.collection import collect
from handshift.embedding.crops.crop_cache import cached_words
from handshift.embedding.crops.file_contents import FileContents, file_crops
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH


@pytest.fixture
def corpus(tmp_path):
    return read_corpus(draw_identities(tmp_path / "shapes", identities=3, each=2))


@pytest.fixture
def cuts(monkeypatch):
    """How often a corpus is cut; in this process, for processes take a second to start."""
    count = []

    def collect(corpus, folder, cut, workers, *others):
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
        cached_words(corpus, tmp_path / "words", FileContents.PICTURE)
    assert cuts == [FileContents.PICTURE]


def test_a_corpus_is_cut_by_as_many_processes_as_the_command_may_use(corpus, cuts, tmp_path, monkeypatch):
    asked = []

    def cut(*given):
        asked.append(given[3])
        return collect(*given)

    monkeypatch.setattr(cutting, "collect", cut)
    cached_words(corpus, tmp_path / "words", FileContents.PICTURE, workers=1)
    assert asked == [1]


def test_a_table_of_words_makes_every_file_a_word(corpus, cuts, tmp_path):
    samples = tuple(replace(sample, page=f"{sample.writer}_r00") for sample in corpus.samples)
    cached_words(replace(corpus, samples=samples), tmp_path / "words")
    assert cuts == [FileContents.WORD], "in training, cleaning, calibration and validation alike"


def test_without_a_kind_of_file_the_recorded_one_is_used(corpus, cuts, tmp_path):
    cached_words(corpus, tmp_path / "words", FileContents.PICTURE)
    cached_words(corpus, tmp_path / "words")
    assert cuts == [FileContents.PICTURE]
    cached_words(corpus, tmp_path / "others")
    assert cuts[-1] == FileContents.PAGE


@pytest.mark.parametrize("field", ["height", "width", "letter_size", "cut", "corpus"])
def test_crops_with_another_record_are_cut_again_with_a_message(corpus, cuts, tmp_path, capsys, field):
    folder = tmp_path / "words"
    cached_words(corpus, folder, FileContents.PICTURE)
    record = json.loads((folder / "words.json").read_text())
    (folder / "words.json").write_text(json.dumps({**record, field: "word" if field == "cut" else 1}))
    cached_words(corpus, folder, FileContents.PICTURE)
    assert len(cuts) == 2
    assert f"cut again, because of another {field.replace('_', ' ')}" in " ".join(
        capsys.readouterr().err.split()
    )
    assert json.loads((folder / "words.json").read_text()) == record


def test_a_picture_more_makes_it_another_corpus(corpus, cuts, tmp_path):
    cached_words(corpus, tmp_path / "words", FileContents.PICTURE)
    extra = corpus.samples[0].path
    (extra.parent / "more.png").write_bytes(extra.read_bytes())
    assert len(cached_words(read_corpus(corpus.root), tmp_path / "words", FileContents.PICTURE).crops) == 7
    assert len(cuts) == 2


def test_of_a_folder_without_a_record_only_the_canvas_is_compared(corpus, cuts, tmp_path):
    folder = tmp_path / "words"
    cached_words(corpus, folder)
    (folder / "words.json").unlink()
    cached_words(corpus, folder)
    assert len(cuts) == 1
    (folder / "words.json").unlink(missing_ok=True)
    np.save(folder / "crops.npy", np.zeros((6, HEIGHT, WIDTH + 8), np.uint8))
    cached_words(corpus, folder)
    assert len(cuts) == 2


def test_files_without_words_are_refused_with_the_option_to_give(tmp_path, monkeypatch, corpus):
    def collect(corpus, folder, cut, workers, *others):
        np.save(folder / "crops.npy", np.zeros((0, HEIGHT, WIDTH), np.uint8))
        (folder / "words.csv").write_text("page,writer,session,prompt\n")
        yield from (0 for _ in corpus.samples)

    monkeypatch.setattr(cutting, "collect", collect)
    with pytest.raises(HandshiftError, match="--cut page, word or picture"):
        cached_words(corpus, tmp_path / "words")


def test_a_red_picture_is_converted_to_grey_as_red_and_not_as_blue(tmp_path):
    for name, colour in (("red", (255, 0, 0)), ("blue", (0, 0, 255))):
        Image.new("RGB", (64, 64), colour).save(tmp_path / f"{name}.png")
    red, blue = (file_crops(tmp_path / f"{name}.png", FileContents.PICTURE).max() for name in ("red", "blue"))
    assert (red, blue) == (76, 29), "0.299 · 255 and 0.114 · 255"
