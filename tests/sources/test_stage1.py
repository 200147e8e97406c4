"""S0, stages 0 and 1: word pictures in the source's layout become vectors, by command and from Python."""

from __future__ import annotations

import csv
import json
import shlex
import shutil

import cv2
import numpy as np
import pyarrow.parquet
import pytest
from drawn_words import WORDS
from run_handshift import handshift

import handshift as hs
from handshift.bag.pages import pages_of
from handshift.core.errors import HandshiftError
from handshift.corpus.layouts import read_corpus
from handshift.embedding.crops.collection import collect as cut_words
from handshift.embedding.embed_corpus import embed_corpus
from handshift.embedding.embedder import Embedder
from handshift.embedding.word_vectors import WordVectors


def test_repetition_makes_page_and_session_and_the_rows_order_is_the_words_order(corpus):
    samples = [sample for sample in read_corpus(corpus).samples if sample.writer == "0002"]
    assert [(sample.page, sample.session) for sample in samples[:: len(WORDS)]] == [
        ("0002_r00", 0),
        ("0002_r01", 0),
        ("0002_r09", 1),
        ("0002_r10", 1),
    ]
    assert [sample.text for sample in samples[: len(WORDS)]] == sorted(WORDS), "as the table lists them"


def test_the_command_writes_weighted_rows_a_table_and_the_sources_csv(vectors):
    table = WordVectors.load(vectors)
    parquet = pyarrow.parquet.read_table(vectors / "words.parquet").to_pydict()
    assert table.vectors.shape == (6 * 4 * len(WORDS), 16) and table.vectors.dtype == np.float32
    assert parquet["page"] == table.page.tolist() and parquet["session"] == table.session.tolist()
    assert parquet["order"][: len(WORDS) + 1] == [*range(len(WORDS)), 0]
    assert parquet["text"][: len(WORDS)] == sorted(WORDS)
    with (vectors.parent / "vectors.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert list(rows[0]) == ["label", "path", *(f"embedding_{axis}" for axis in range(16))]
    assert rows[0]["label"] == "0000" and rows[0]["path"] == f"0000/{sorted(WORDS)[0]}_0.png"
    unit = np.array([[float(row[f"embedding_{axis}"]) for axis in range(16)] for row in rows])
    assert np.allclose(np.linalg.norm(unit, axis=1), 1, atol=1e-6)
    lengths = np.linalg.norm(table.vectors, axis=1, keepdims=True)
    assert np.allclose(unit, table.vectors / lengths, atol=1e-6)


def test_words_of_one_repetition_are_one_page_for_the_bags_of_stage_2(vectors):
    pages = pages_of(WordVectors.load(vectors), ["0000", "0001"], fewest=len(WORDS))
    assert len(pages) == 8 and all(page.rows.size == len(WORDS) for page in pages)


def test_python_embeds_the_same_and_reuses_what_is_there(corpus, run_folder, vectors):
    stamp = (vectors / "vectors.npy").stat().st_mtime_ns
    again = embed_corpus(corpus, vectors, run_folder / "words.onnx")
    assert (vectors / "vectors.npy").stat().st_mtime_ns == stamp
    assert str(again).endswith("216 words × 16 dimensions of 6 writers on 24 pages")


def test_a_network_that_is_not_calibrated_embeds_from_python(corpus, run_folder):
    found = hs.embed(corpus / "0000" / "London_0.png", model=str(run_folder), cut="word")
    assert found.vectors.shape == (1, 16)
    with pytest.raises(HandshiftError, match=r"no words\.onnx; give the folder that `handshift train embed`"):
        hs.embed(corpus / "0000" / "London_0.png", model=str(corpus), cut="word")
    with pytest.raises(HandshiftError, match="one of: words-"):
        hs.embed(corpus / "0000" / "London_0.png", model="runs/nothing", cut="word")


@pytest.fixture
def with_a_sliver(corpus, tmp_path):
    """The corpus with a picture of 287×6 pixels and one without ink."""
    folder = tmp_path / "words"
    shutil.copytree(corpus, folder, ignore=shutil.ignore_patterns("000[2-5]"))
    kept = [
        line
        for line in (folder / "naver_ocr.csv").read_text().splitlines()
        if "000" in line or "image" in line
    ]
    kept = [line for line in kept if not any(f"\\{writer:04d}\\" in line for writer in range(2, 6))]
    for name, size in (("sliver", (6, 287)), ("blank", (50, 110))):
        cv2.imwrite(str(folder / "0001" / f"{name}_0.png"), np.full(size, 255, np.uint8))
        kept.append(f"x/0001/{name}_0.png,0001,{name},0")
    (folder / "naver_ocr.csv").write_text("\n".join(kept) + "\n")
    return folder


def test_pictures_too_small_are_skipped_counted_and_listed(with_a_sliver, run_folder, tmp_path):
    printed = handshift("embed", with_a_sliver, "--model", run_folder, "--out", tmp_path / "out")
    assert "2 files skipped" in printed
    listed = (tmp_path / "out" / "crops" / "skipped.csv").read_text()
    assert '0001/sliver_0.png,"287×6 pixels is too small to hold writing' in listed
    assert "0001/blank_0.png,no ink" in listed
    assert "2 of 74 files skipped as words: 0001/sliver_0.png (287×6 pixels" in " ".join(printed.split())


def test_training_lists_what_it_skips_and_uses_words_that_were_cut_before(corpus, tmp_path):
    folder = tmp_path / "words"
    shutil.copytree(corpus, folder)
    cv2.imwrite(str(folder / "0001" / "sliver_0.png"), np.full((6, 287), 255, np.uint8))
    with (folder / "naver_ocr.csv").open("a", encoding="utf-8") as table:
        table.write("x/0001/sliver_0.png,0001,sliver,0\n")
    names = [f"{number:04d}" for number in range(6)]
    parts = {"train": names[:3], "validation": names[3:], "test": []}
    (tmp_path / "split.json").write_text(json.dumps({"corpus": "words", "seed": 0, "parts": parts}))
    given = ["--data", folder, "--split", tmp_path / "split.json"]
    small = shlex.split("--widths 4,6,8 --dimensions 8 --batch 8 --steps 1 --threads 1 --kindred 0")
    printed = " ".join(handshift("train", "embed", *given, "--out", tmp_path / "first", *small).split())
    assert "1 of 217 files skipped as words: 0001/sliver_0.png (287×6 pixels is too small" in printed
    crops = tmp_path / "first" / "words" / "crops.npy"
    stamp = crops.stat().st_mtime_ns
    handshift("train", "embed", *given, "--words", crops.parent, "--out", tmp_path / "second", *small)
    assert crops.stat().st_mtime_ns == stamp and not (tmp_path / "second" / "words").exists()


def test_a_picture_too_small_does_not_stop_an_enrolment(with_a_sliver, tmp_path):
    printed = handshift(
        "enroll", "Anna", with_a_sliver / "0001", "--gallery", tmp_path / "g", "--cut", "word"
    )
    assert "36 new pages, 2 pictures skipped; 1 person enrolled" in printed
    assert "sliver_0.png: skipped: 287×6 pixels is too small" in printed


def test_a_foreign_table_is_never_overwritten(corpus, run_folder, tmp_path):
    for name, content in (("words.csv", "word,count\nour,3\n"), ("words.json", '{"my": "own"}')):
        folder = tmp_path / name.replace(".", "-")
        folder.mkdir()
        (folder / name).write_text(content)
        with pytest.raises(HandshiftError, match=rf"{name}: not a .* of handshift's"):
            embed_corpus(corpus, tmp_path / "out", run_folder / "words.onnx", words=folder)
        assert (folder / name).read_text() == content


def test_crops_of_another_corpus_are_not_replaced_when_they_are_to_be_reused(
    corpus, with_a_sliver, vectors, run_folder, tmp_path
):
    before = (vectors / "crops" / "words.json").read_text()
    with pytest.raises(HandshiftError, match="cannot be reused: another corpus"):
        embed_corpus(with_a_sliver, tmp_path, run_folder / "words.onnx", words=vectors / "crops")
    assert (vectors / "crops" / "words.json").read_text() == before


def test_threads_hold_for_every_step_of_a_command(corpus, run_folder, tmp_path, monkeypatch):
    used, begin = [], Embedder.__init__

    def collect(corpus, folder, contents, workers, *others):
        used.append(workers)
        return cut_words(corpus, folder, contents, workers, *others)

    def embedder(self, path, threads=2):
        used.append(threads)
        begin(self, path, threads)

    monkeypatch.setattr("handshift.embedding.crops.crop_cache.collect", collect)
    monkeypatch.setattr(Embedder, "__init__", embedder)
    handshift("embed", corpus, "--model", run_folder, "--out", tmp_path / "v", "--threads", 1)
    assert used == [1, 1]
    names = [f"{number:04d}" for number in range(6)]
    parts = {"train": names[:2], "validation": names[2:4], "test": names[4:]}
    (tmp_path / "split.json").write_text(json.dumps({"corpus": "words", "seed": 0, "parts": parts}))
    given = ["--words", tmp_path / "v" / "crops", "--network", run_folder / "words.onnx"]
    small = shlex.split(
        "--size 6 --no-longer --steps 1 --evaluate-every 1 --batch 4 --held-out 40 --threads 1"
    )
    handshift("train", "detect", *given, "--split", tmp_path / "split.json", "--out", tmp_path / "d", *small)
    assert used == [1, 1, 1], "train detect has one thread unless told otherwise"
