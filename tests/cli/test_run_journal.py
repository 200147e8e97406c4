"""A run that is killed loses at most the page in hand, and the same command continues it."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from killed_run import KILL_AFTER
from PIL import Image

from handshift.cli.exits import Exit
from handshift.core.errors import PageError
from handshift.core.folder_lock import FolderBusyError, locked_file
from handshift.core.run_journal import Entry, RunJournal
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page
from handshift.report.findings_record import failure_record

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole"


def examine(*arguments: object, code: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"{code}\nfrom handshift.cli import main\nmain()", "examine"]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, encoding="utf-8", timeout=300, check=False
    )


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A file of three pages, the middle one blank, and a damaged file."""
    folder = tmp_path_factory.mktemp("pages")
    layout = Layout(width_mm=140.0, height_mm=110.0)
    drawn = [draw_page([Passage(Scribe(number), TEXT)], seed=number, layout=layout) for number in (1, 2)]
    sheets = [Image.fromarray(page.image) for page in drawn]
    blank = Image.new("RGB", sheets[0].size, "white")
    sheets[0].save(folder / "book.tiff", save_all=True, append_images=[blank, sheets[1]], dpi=(200, 200))
    (folder / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    return [folder / "book.tiff", folder / "torn.png"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_a_killed_run_is_continued_to_the_same_pages(pages: list[Path], tmp_path: Path):
    whole = tmp_path / "whole.json"
    options = ("--out", tmp_path / "one", "--annotations", tmp_path / "marks-one")
    assert examine(*pages, "--json", whole, *options).returncode == Exit.SOME_FAILED
    expected = json.loads(whole.read_text())
    assert [page["status"] for page in expected["pages"]] == ["examined", "blank", "examined", "failed"]
    assert expected["complete"] is True

    found, report = tmp_path / "found.json", tmp_path / "two"
    again = (*pages, "--json", found, "--out", report, "--annotations", tmp_path / "marks-two")
    for signal, kept in (("SIGKILL", 1), ("SIGTERM", 2), ("SIGHUP", 3)):
        done = examine(*again, code=KILL_AFTER.format(pages=1, signal=signal))
        assert done.returncode < 0
        assert (tmp_path / ".found.json.journal").read_text().count('"record"') == kept
    (report / ".index.html.0123456789ab.part").touch()
    done = examine(*again)
    assert done.returncode == Exit.SOME_FAILED, done.stderr
    assert "3 pages of an earlier attempt kept" in done.stderr
    resumed = json.loads(found.read_text())
    assert resumed["pages"] == expected["pages"] and resumed["complete"] is True
    assert not list(tmp_path.glob(".found*")) and not list(report.glob(".*.part"))
    assert {path.name for path in report.iterdir()} == {path.name for path in (tmp_path / "one").iterdir()}
    one, two = (tmp_path / name / "manifest.json" for name in ("marks-one", "marks-two"))
    assert one.read_bytes() == two.read_bytes()
    assert len(json.loads(one.read_text())["items"]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_findings_of_an_interrupted_run_say_that_they_are_not_complete(pages: list[Path], tmp_path: Path):
    found = tmp_path / "found.json"
    examine(*pages, "--json", found, "--no-report", code=KILL_AFTER.format(pages=1, signal="SIGINT"))
    content = json.loads(found.read_text())
    assert content["complete"] is False
    assert [page["status"] for page in content["pages"]] == ["examined"]


@contextmanager
def journal(tmp_path: Path, **settings: str) -> Iterator[RunJournal]:
    with closing(RunJournal(tmp_path / "journal", settings)) as opened:
        yield opened


def kept(journal: RunJournal, scan: Path) -> tuple[list[Entry], bool]:
    entries, ended = journal.earlier(scan)
    return list(entries), ended


def test_a_torn_last_line_and_a_changed_file_are_not_taken_for_done(tmp_path: Path):
    scan = tmp_path / ("a\udcff.png" if sys.platform == "linux" else "a.png")
    scan.write_bytes(b"one")
    sha256 = hashlib.sha256(b"one").hexdigest()
    record = failure_record(PageError(scan, "is empty", sha256=sha256))
    with journal(tmp_path) as first:
        first.add(record, scan, sha256)
        first.add(record, scan, sha256)
    (tmp_path / "journal").write_bytes((tmp_path / "journal").read_bytes()[:-20])
    with journal(tmp_path) as again:
        assert kept(again, scan) == ([record], False)
        again.end_file(scan, sha256)
    with journal(tmp_path) as again:
        assert kept(again, scan) == ([record], True)
    scan.write_bytes(b"two")
    with journal(tmp_path) as again:
        assert kept(again, scan) == ([], False)


def test_a_journal_of_other_settings_is_started_anew(tmp_path: Path):
    scan = tmp_path / "a.png"
    scan.touch()
    sha256 = hashlib.sha256(b"").hexdigest()
    with journal(tmp_path, model="words-3") as first:
        first.add(failure_record(PageError(scan, "is empty", sha256=sha256)), scan, sha256)
    with journal(tmp_path, model="words-4") as again:
        assert kept(again, scan) == ([], False)


def test_two_runs_on_one_output_are_refused(pages: list[Path], tmp_path: Path):
    with locked_file(tmp_path / ".found.json.journal.lock"):
        done = examine(*pages, "--json", tmp_path / "found.json", "--no-report")
        assert done.returncode == Exit.NONE_EXAMINED and "another run is writing here" in done.stderr
    with locked_file(tmp_path / "x.lock"), pytest.raises(FolderBusyError), locked_file(tmp_path / "x.lock"):
        pass


def test_a_journal_that_is_started_anew_keeps_the_files_that_nobody_asked_for_yet(tmp_path: Path):
    scans = [tmp_path / name for name in ("a.png", "b.png")]
    for scan in scans:
        scan.touch()
    sha256 = hashlib.sha256(b"").hexdigest()
    with journal(tmp_path) as first:
        for scan in scans:
            first.add({"page": scan.name}, scan, sha256)
            first.end_file(scan, sha256)
    with journal(tmp_path) as again:
        assert kept(again, scans[0]) == ([{"page": "a.png"}], True)
        again.forget()
        again.add({"page": "new"}, scans[0], sha256)
        assert kept(again, scans[1]) == ([{"page": "b.png"}], True)
    with journal(tmp_path) as last:
        assert kept(last, scans[0]) == ([{"page": "new"}], False)
        assert kept(last, scans[1]) == ([{"page": "b.png"}], True)


def test_entries_are_read_when_they_are_asked_for(tmp_path: Path):
    scan = tmp_path / "a.png"
    scan.touch()
    sha256 = hashlib.sha256(b"").hexdigest()
    with journal(tmp_path) as first:
        for number in range(3):
            first.add({"number": number}, scan, sha256)
    with journal(tmp_path) as again:
        entries, _ = again.earlier(scan)
        again.add({"number": 3}, scan, sha256)
        assert len(entries) == 3 and entries[-1] == {"number": 2}
        assert entries[1:] == [{"number": 1}, {"number": 2}]
        assert list(entries.mapped(lambda entry: entry["number"])) == [0, 1, 2]
