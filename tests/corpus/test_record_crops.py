"""Every kind of record becomes word pictures at one scale, and a database is cut once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from drawn_databases import draw_all
from typer.testing import CliRunner

from handshift.cli.corpus import app
from handshift.core.errors import HandshiftError
from handshift.corpus.databases.reading import read_database
from handshift.embedding.crops.record_collection import collect_records, load_records
from handshift.embedding.crops.record_cut import record_crops, record_image
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.crops.writing_scale import SPREAD, vertical_spread


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_all(tmp_path_factory.mktemp("databases"))


@pytest.mark.parametrize("name", ["csafe", "iam", "cedar", "dhsd", "khatt", "fonts-korean"])
def test_words_of_every_kind_of_record_have_one_spread(root: Path, name: str) -> None:
    records = read_database(root, name).records[:2]
    crops = np.concatenate([record_crops(record)[0] for record in records])
    assert crops.shape[1:] == (HEIGHT, WIDTH)
    assert len(crops) >= len(records)
    spreads = [vertical_spread(crop) for crop in crops]
    assert np.median(spreads) == pytest.approx(SPREAD, rel=0.25)


def test_a_line_without_its_sheet_is_cut_into_several_words(root: Path) -> None:
    (record,) = [r for r in read_database(root, "khatt").records if r.prompt == "p" and r.page.endswith("/2")]
    assert len(record_crops(record)[0]) >= 4


def test_strokes_are_drawn_alike_for_one_record_and_otherwise_for_another(root: Path) -> None:
    one, two = read_database(root, "iam-strokes").records
    assert (record_image(one) == record_image(one)).all()
    first, second = record_image(one), record_image(two)
    assert first.shape != second.shape or (first != second).any()


def test_of_a_strip_only_the_box_is_cut(root: Path) -> None:
    record = read_database(root, "cedar").records[1]
    assert record_image(record).shape[:2] == (64, 64)
    assert record_image(replace(record, box=None)).shape[:2] == (64, 128)


def test_a_database_is_cut_once_and_a_cut_of_something_else_is_refused(root: Path, tmp_path: Path) -> None:
    words = read_database(root, "dhsd")
    counts = list(collect_records(words, tmp_path / "dhsd", workers=1))
    assert counts == [1, 1, 1, 1]
    found = load_records(words, tmp_path / "dhsd")
    assert found.writer.tolist() == ["dhsd/u0", "dhsd/u0", "dhsd/u1", "dhsd/u1"]
    assert len(set(found.page)) == 4
    with pytest.raises(HandshiftError, match="were cut from other files"):
        load_records(words.written_by(["dhsd/u0"]), tmp_path / "dhsd")
    with pytest.raises(HandshiftError, match="are not cut yet"):
        load_records(words, tmp_path / "elsewhere")


def test_the_command_lists_splits_and_cuts(root: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    listed = run(app, ["list", str(root)])
    assert listed.exit_code == 0
    assert "iam-strokes" in listed.output
    as_csv = run(app, ["list", str(root), "--csv"]).output.splitlines()
    assert as_csv[0].startswith("database,family,script,holds,writers")
    splits = run(app, ["split", str(root), "--out", str(tmp_path), "--database", "csafe"])
    assert splits.exit_code == 0
    assert (tmp_path / "csafe.json").is_file()
    before = (tmp_path / "csafe.json").read_bytes()
    run(app, ["split", str(root), "--out", str(tmp_path), "--database", "csafe"])
    assert (tmp_path / "csafe.json").read_bytes() == before
    cut = run(app, ["cut", str(root), "--out", str(tmp_path), "--database", "ahawp", "--workers", "1"])
    assert "4 words of 4 records" in cut.output
