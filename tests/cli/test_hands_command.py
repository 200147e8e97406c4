"""`handshift hands` tells the hands of a document, prints and writes them."""

from __future__ import annotations

import json
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import handshift
from handshift.attribution.document import Document
from handshift.calibration.scope import Scope, ScopeReason
from handshift.calibration.scope_guard import ScopeGuard
from handshift.calibration.verbal_scale import Language
from handshift.cli.exits import Exit
from handshift.cli.sheet_files import report_run
from handshift.core.errors import HandshiftError
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.page.ocr import Reader
from handshift.page.safe_xml import descendants, parse_xml
from handshift.page.word import Page
from handshift.pipeline.hand_finder import HandFinder
from handshift.pipeline.read_document import with_texts
from handshift.report.document_report import document_sheet
from handshift.report.page_report import texts
from handshift.report.sheet import sheet_html, sheet_pdf


@pytest.fixture(scope="module")
def document() -> Document:
    return handshift.hands([TWO_HANDS, ONE_HAND])


def test_the_other_hand_is_found_where_it_wrote(document):
    two, one = document.pages
    other = {place for place, hand in enumerate(two.hands, 1) if hand == "B"}
    assert len(other & set(range(44, 61))) >= 12 and len(other) <= 18
    # Three words of the drawn page are taken for crossed out, and one of the other: these have no hand.
    assert np.argmax(one.number) == 0 and set(one.hands) - {""} == {"A"}
    assert one.hands.count("") + two.hands.count("") <= 4


def test_the_main_hand_goes_on_to_the_next_page(document):
    assert document.pages_of("A") == [1, 2] and document.pages_of("B") == [1]
    first, last = document.changes
    assert (first.page, first.before, first.after) == (1, "A", "B") and last.after == "A"


def test_a_document_is_never_printed_without_its_population(document):
    for shown in (str(document), repr(document)):
        assert document.population in shown and "prior of 1 to 5 hands" in shown


def test_everything_is_printed_and_written(run, tmp_path):
    done = run(
        *("hands", TWO_HANDS, ONE_HAND, "--json", "out.json", "--tei", "out.xml"),
        *("--page-xml", "pages", "--strip", "out.svg"),
    )
    assert done.code == 0, done.err
    assert "A → B" in done.out and "BBBB" in done.out and "population:" in done.out
    found = json.loads((tmp_path / "desk" / "out.json").read_text("utf-8"))
    assert set(found["hands"]) == {"A", "B"} and len(found["pages"]) == 2
    assert sum(found["pages"][0]["number_of_hands"]) == pytest.approx(1)
    shifts = descendants(parse_xml(tmp_path / "desk" / "out.xml"), "handShift")
    # Page 1 begins with A, B takes over and A goes on; page 2 names its hand again, though it is still A.
    assert [shift.get("new") for shift in shifts] == ["#A", "#B", "#A", "#A"]
    assert sorted(path.name for path in (tmp_path / "desk" / "pages").iterdir()) == [
        "one-hand.xml",
        "two-hands.xml",
    ]
    assert (tmp_path / "desk" / "out.svg").read_text("utf-8").count("<rect") == len(
        found["pages"][0]["words"]
    ) + len(found["pages"][1]["words"])


def test_a_page_that_cannot_be_read_does_not_stop_the_others(run, tmp_path):
    (tmp_path / "desk" / "torn.png").write_bytes(b"")
    done = run("hands", ONE_HAND, "torn.png")
    assert done.code == 1 and "torn.png" in done.err and "1 hand in" in done.out


def test_nothing_to_read_is_said(run, tmp_path):
    (tmp_path / "desk" / "torn.png").write_bytes(b"")
    assert run("hands", "torn.png").code == 3


@pytest.mark.parametrize("prior", [(0.5, 0.5), (0, 0, 0, 0, 0), (1, -1, 0, 0, 0)])
def test_a_prior_that_is_none_is_refused(prior):
    with pytest.raises(HandshiftError, match="a prior has 5 shares"):
        HandFinder(prior=prior)


@pytest.mark.parametrize("prior", ["0", "1"])
def test_a_certain_prior_of_one_writer_is_refused(run, prior):
    done = run("hands", ONE_HAND, "--same-prior", prior)
    assert done.code == 3 and f"must lie between 0 and 1, not {prior}" in done.err


class Saying:
    """A reader to whom every word says the same."""

    def read(self, page: Page) -> Page:
        return replace(page, words=tuple(replace(word, text="stove") for word in page.words))


def test_pages_that_show_most_of_each_hand_are_read_for_the_report(document):
    read = with_texts(document, cast(Reader, Saying()))
    assert document.telling_pages() == [0, 1]
    assert {word.text for page in read.pages for word in page.page.words} == {"stove"}
    assert all(page.page.image.strides[0] == 0 for page in read.pages)  # pixels are not kept
    (page,) = read.pages[1:]
    alone = replace(read, pages=(page,))
    assert with_texts(replace(alone, pages=(document.pages[1],)), cast(Reader, Saying())).pages[0].page == (
        document.pages[1].page  # one hand: nothing to compare
    )


@pytest.mark.parametrize("language", list(Language))
def test_the_report_lays_equal_words_of_the_hands_over_each_other(document, language):
    run = report_run(None, {}, language, None, {})
    plain = document_sheet(document, run)
    assert not any(section.equal for section in plain.sections)
    sheet = document_sheet(with_texts(document, cast(Reader, Saying())), run)
    (equal,) = [section.equal for section in sheet.sections if section.equal]
    assert [name[-1] for name in equal.names] == ["A", "B"] and equal.words[0].text == "stove"
    html = sheet_html(sheet, run)
    assert texts(language)["equal_over"] in html and html.count('alt="stove"') == 3
    assert sheet_pdf(sheet, run).startswith(b"%PDF")


def test_the_prior_of_the_number_of_writers_is_stated(document):
    said = str(document)
    assert "prior that one person wrote two given pages: 0.5" in said
    assert "of so many writers, before the pages are seen: 1: 0.25, 2: 0.50, 3: 0.25" in said
    bold = replace(document, same_prior=0.9)
    assert "given pages: 0.9" in str(bold) and "1: 0.81" in str(bold)


def test_a_link_of_a_page_outside_of_the_scope_states_no_ratio_and_is_not_called_weak(run, monkeypatch):
    outside = Scope((ScopeReason("script", 0.0),))
    monkeypatch.setattr(ScopeGuard, "judge", lambda *_: outside)
    done = run("hands", TWO_HANDS, ONE_HAND, "--json", "out.json", "--csv", "out.csv", "--out", "r")
    assert done.code == Exit.OUT_OF_SCOPE, done.err
    assert "no ratio outside of what was validated" in done.out and "weak" not in done.out
    links = json.loads(Path("out.json").read_text("utf-8"))["links"]
    assert all(link["withheld"] and not link["weak"] and not link["log10_lr"] for link in links)
    (report,) = Path("r").glob("*.html")
    html = unescape(report.read_text("utf-8"))
    assert "weak link" not in html and html.count(texts(Language.en)["scope_withheld"]) == len(links)
    assert ",True,A,,,,," in Path("out.csv").read_text("utf-8")
