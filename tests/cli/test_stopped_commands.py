"""Every command that reads many files keeps what it has finished, and the same command continues."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from handshift.core.run_journal import RunJournal
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.embedding.gallery import TABLE, Gallery
from handshift.page import decode_worker

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole"


class Stopped(BaseException):
    """Stands for a kill: nobody catches it."""


@pytest.fixture(scope="module")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three short letters by two people, and a damaged file in between."""
    folder = tmp_path_factory.mktemp("letters")
    layout = Layout(width_mm=140.0, height_mm=100.0)
    for number, scribe in enumerate((1, 2, 1)):
        page = draw_page([Passage(Scribe(scribe), TEXT)], seed=number, layout=layout)
        save_page(page, folder / f"{number}.png")
    return folder


@pytest.fixture
def stop(monkeypatch):
    """Stop the run when so many pages were journalled."""

    def after(pages: int) -> None:
        add, left = RunJournal.add, [pages]

        def added(self, entry, source, sha256):
            add(self, entry, source, sha256)
            left[0] -= 1
            if not left[0]:
                raise Stopped

        monkeypatch.setattr(RunJournal, "add", added)

    yield after
    monkeypatch.undo()


@pytest.fixture
def decoded(monkeypatch) -> list[str]:
    """Names of the files of which a page was decoded."""
    names: list[str] = []
    scan = decode_worker.IsolatedFile.scan

    def noted(self, number):
        names.append(self.path.name)
        return scan(self, number)

    monkeypatch.setattr(decode_worker.IsolatedFile, "scan", noted)
    return names


def test_hands_goes_on_after_the_last_finished_page(run, letters, stop, decoded):
    damaged = letters / "1a.png"
    damaged.write_bytes(b"\x89PNG\r\n\x1a\n torn")
    try:
        run("hands", letters, "--json", "whole.json", "--strip", "whole.svg", "--tei", "whole.xml")
        stop(3)
        with pytest.raises(Stopped):
            run("hands", letters, "--json", "found.json", "--strip", "found.svg", "--tei", "found.xml")
        stop(99)
        del decoded[:]
        done = run("hands", letters, "--json", "found.json", "--strip", "found.svg", "--tei", "found.xml")
    finally:
        damaged.unlink()
    assert "3 pages of an earlier attempt kept" in done.err and decoded == ["2.png"]
    assert json.loads(Path("found.json").read_text()) == json.loads(Path("whole.json").read_text())
    assert Path("found.svg").read_text() == Path("whole.svg").read_text()
    assert Path("found.xml").read_text() == Path("whole.xml").read_text()
    assert not list(Path().glob(".found*"))


def test_hands_starts_over_when_it_is_told_to(run, letters, stop, decoded):
    stop(2)
    with pytest.raises(Stopped):
        run("hands", letters, "--json", "found.json")
    stop(99)
    del decoded[:]
    run("hands", letters, "--json", "found.json", "--no-resume")
    assert decoded == ["0.png", "1.png", "2.png"]


def test_enroll_embeds_no_file_twice_and_identify_goes_on(run, letters, stop, decoded):
    run("enroll", "Ann", letters, "--gallery", "whole")
    stop(2)
    with pytest.raises(Stopped):
        run("enroll", "Ann", letters, "--gallery", "family")
    assert not Path("family", TABLE).exists()
    stop(99)
    del decoded[:]
    assert "3 new pages" in run("enroll", "Ann", letters, "--gallery", "family").out
    assert decoded == ["2.png"]
    once, again = Gallery.load(Path("whole")), Gallery.load(Path("family"))
    assert once.entries == again.entries and (once.vectors == again.vectors).all()
    assert not Path("family", ".journal").exists()

    pages = sorted(letters.glob("*.png"))
    run("identify", *pages, "--gallery", "family", "--json", "whole.json")
    stop(1)
    with pytest.raises(Stopped):
        run("identify", *pages, "--gallery", "family", "--json", "found.json")
    stop(99)
    del decoded[:]
    done = run("identify", *pages, "--gallery", "family", "--json", "found.json")
    assert "1 page of an earlier attempt kept" in done.err and decoded == ["1.png", "2.png"]
    assert json.loads(Path("found.json").read_text()) == json.loads(Path("whole.json").read_text())


def test_an_enrolment_that_fails_at_its_first_page_leaves_nothing(run):
    Path("torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    assert run("enroll", "Ann", "torn.png", "--gallery", "family").code != 0
    assert not Path("family").exists()
