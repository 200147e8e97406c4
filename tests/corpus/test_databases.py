"""Every database is read in one form."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from drawn_databases import draw_all, draw_csafe, manifest

from handshift.core.errors import CorpusError
from handshift.corpus.databases.inventory import COLUMNS, inventory
from handshift.corpus.databases.layouts import LAYOUTS, layout_named
from handshift.corpus.databases.reading import FONT_PAGES, find_databases, read_database
from handshift.corpus.databases.record import Holds, Script
from handshift.corpus.databases.splits import PARTS, load_split, make_split

SPLITS = Path(__file__).parents[2] / "studies" / "splits"
TRAINABLE = [layout.name for layout in LAYOUTS if layout.trainable]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return draw_all(tmp_path_factory.mktemp("databases"))


def test_all_that_is_there_is_found(root: Path) -> None:
    names = [database.name for database in find_databases(root)]
    fonts = ["fonts-korean", "fonts-latin"]
    assert names == ["csafe", "iam", "iam-strokes", "cedar", "dhsd", "khatt", "ahawp", *fonts]


def test_a_writers_name_is_unique_over_databases(root: Path) -> None:
    writers = [writer for database in find_databases(root) for writer in database.writers]
    assert len(writers) == len(set(writers))
    assert {"csafe/w0", "iam/000", "ahawp/u0", "dhsd/u0"} <= set(writers)


def test_sessions_are_numbered_within_the_writer(root: Path) -> None:
    sessions = {(r.path.name, r.session) for r in read_database(root, "cedar").records}
    assert sessions == {("0001a.png", 1), ("0001b.png", 2)}
    assert {r.session for r in read_database(root, "csafe").records if r.writer == "csafe/w1"} == {1, 2}


def test_forms_and_lines_of_iam_share_their_writers_and_not_their_sheets(root: Path) -> None:
    iam = read_database(root, "iam")
    assert iam.writers == {"iam/000": 2, "iam/001": 1}
    assert {r.page for r in iam.records if r.holds is Holds.LINE} == {"iam/000/b01"}


def test_a_strip_of_words_is_one_record_for_each_box(root: Path) -> None:
    boxes = [record.box for record in read_database(root, "cedar").records if record.session == 1]
    assert [box.x for box in boxes if box] == [0, 64]


def test_a_font_gives_pages_of_two_scripts(root: Path) -> None:
    scripts = Counter(record.script for record in read_database(root, "fonts-korean").records)
    assert scripts == Counter(FONT_PAGES[Script.HANGUL])
    assert set(scripts) == {Script.HANGUL, Script.LATIN}
    latin = Counter(record.script for record in read_database(root, "fonts-latin").records)
    assert latin == Counter(FONT_PAGES[Script.LATIN]) == {Script.LATIN: 4}


def test_strokes_and_forms_of_iam_are_of_one_family(root: Path) -> None:
    assert read_database(root, "iam").family == read_database(root, "iam-strokes").family


def test_what_is_known_of_the_pen_is_kept(tmp_path: Path) -> None:
    draw_csafe(tmp_path)
    (tmp_path / "csafe").rename(tmp_path / "pens")
    rows = [{"path": "w0/w0_s1.png", "writer": "AW1_b1", "session": 1, "prompt": "x", "tool": "pencil"}]
    manifest(tmp_path / "pens", rows)
    assert [record.pen for record in read_database(tmp_path, "pens").records] == ["pencil"]


def test_the_inventory_counts_writers_sheets_and_sessions(root: Path) -> None:
    (row,) = inventory(read_database(root, "csafe"))
    counted = dict(zip(COLUMNS, row, strict=True))
    assert (counted["writers"], counted["two sheets"], counted["two sessions"]) == (3, 3, 3)
    assert (counted["sheets"], counted["files"], counted["script"]) == (6, 6, "latin")


def test_an_unknown_or_absent_database_is_named(root: Path, tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no database is called 'cvl'; known are csafe"):
        read_database(root, "cvl")
    with pytest.raises(CorpusError, match="no folder of the database 'khatt'"):
        read_database(tmp_path, "khatt")


def test_a_damaged_manifest_is_told_by_its_line(tmp_path: Path) -> None:
    manifest(tmp_path / "csafe", [{"path": "gone.png", "writer": "w0", "session": 1}])
    with pytest.raises(CorpusError, match=r"manifest.csv, line 2: 'gone.png' is not there"):
        read_database(tmp_path, "csafe")
    manifest(tmp_path / "csafe", [{"path": "gone.png", "writer": "w0"}])
    with pytest.raises(CorpusError, match="lacks the column 'session'"):
        read_database(tmp_path, "csafe")


def test_a_split_covers_every_writer_once_and_is_checked_when_loaded(root: Path, tmp_path: Path) -> None:
    csafe = read_database(root, "csafe")
    make_split(csafe).save(tmp_path / "csafe.json")
    parts = load_split(csafe, tmp_path).parts
    assert sorted(writer for part in PARTS for writer in parts[part]) == list(csafe.writers)
    with pytest.raises(CorpusError, match="names 1 writer"):
        load_split(csafe.written_by(list(csafe.writers)[:2]), tmp_path)
    text = (tmp_path / "csafe.json").read_text("utf-8")
    (tmp_path / "csafe.json").write_text(text.replace('"w1"', "").replace("[, ", "["), "utf-8")
    with pytest.raises(CorpusError):
        load_split(csafe, tmp_path)


@pytest.mark.parametrize("name", TRAINABLE)
def test_the_splits_in_the_project_fit_the_shared_data(name: str, shared_data: Path) -> None:
    if not any((shared_data / folder.name).is_dir() for folder in layout_named(name).folders):
        pytest.skip(f"{name} is not among the shared data")
    parts = load_split(read_database(shared_data, name), SPLITS).parts
    assert all(parts[part] for part in PARTS)
