"""The HTML report: complete, self-contained, and safe to open."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from handshift.attribution.verdict import Verdict, WordFinding
from handshift.calibration.page_calibration import Reference
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import PageError
from handshift.demo import TWO_HANDS
from handshift.pipeline.examiner import Examiner
from handshift.report import IndexRow, Run, index_html, page_html
from handshift.report.findings_record import failure_record, page_record
from handshift.report.overlay import overlay
from handshift.report.page_report import texts
from handshift.report.reference_plot import WIDTH, reference_plot
from handshift.report.similarity_matrix import matrix


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner()


@pytest.fixture(scope="module")
def verdict(examiner: Examiner) -> Verdict:
    """The page with another hand in it; the truth is laid over the model's opinion of which words."""
    found = next(examiner.examine(TWO_HANDS))
    words = tuple(
        WordFinding("B", 0.9, 0.9) if 44 <= place < 60 else WordFinding("A", 0.1, 0.9)
        for place in range(len(found.words))
    )
    return replace(found, words=words, number=(0.1, 0.9, 0.0, 0.0, 0.0))


@pytest.fixture(scope="module")
def run(examiner: Examiner) -> Run:
    started = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
    return Run(examiner.model, started, {"model": examiner.model.id})


class Addresses(HTMLParser):
    """Collects whatever a browser would fetch or follow, and checks that tags are closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [
            value or "" for name, value in attrs if name in ("src", "href", "xlink:href", "action")
        ]
        if tag not in ("meta", "input", "br", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "xlink:href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("language", list(Language))
def test_the_report_asks_the_network_for_nothing(verdict, run, language):
    reader = Addresses()
    html = page_html(verdict, replace(run, language=language))
    reader.feed(html)
    assert reader.open == []
    assert all(address.startswith(("data:image/", "#", "index.html")) for address in reader.found)
    assert not re.search(r"@import|url\((?!data:font/woff2;base64,)", html)
    assert "default-src 'none'" in html


def test_the_report_holds_the_finding_and_what_it_rests_on(verdict, run):
    html = unescape(page_html(verdict, run))
    for part in (
        f"{verdict.log10_lr:+.2f}",
        verdict.propositions.several_hands,
        verdict.propositions.one_hand,
        verdict.propositions.population,
        verdict.page.sha256,
        run.card.id,
        "Not validated for casework",
        "onnxruntime",
    ):
        assert part in html
    assert html.count("<rect id=") == len(verdict.page.words)
    assert html.count("<tr data-word=") == 16


def test_print_and_drawings_are_not_counted_as_words(verdict, run):
    words = verdict.words[:-3] + (WordFinding("", 0.0, 0.0),) * 3
    html = page_html(replace(verdict, words=words), run)
    found = re.search(rf"{texts(Language.en)['words_found']} <b>(\d+)</b>", html)
    assert found is not None and int(found[1]) == len(words) - 3


def test_a_file_name_cannot_smuggle_in_a_script(verdict, run):
    evil = Path("<script>alert(1)</script>\udcff.png")
    html = page_html(replace(verdict, page=replace(verdict.page, source=evil)), run)
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html
    html.encode("utf-8")


def test_marks_are_outlined_by_hand_and_shaded_by_posterior(verdict):
    marks = overlay(verdict).marks
    assert len({mark.stroke for mark in marks if mark.kind == "writing"}) == 2
    assert max(mark.opacity for mark in marks if mark.hand == "A") < min(
        mark.opacity for mark in marks if mark.hand == "B"
    )
    places = [(mark.line, mark.place) for mark in marks]
    assert places == sorted(places) and places[0] == (1, 1)


def test_the_matrix_puts_the_words_of_one_hand_together(verdict):
    drawn = matrix(verdict)
    assert drawn is not None
    assert [span.hand for span in drawn.spans] == ["A", "B"]
    assert sum(span.size for span in drawn.spans) == drawn.size == len(np.asarray(verdict.similarity))
    assert {verdict.words[number - 1].hand for number in drawn.numbers[drawn.spans[1].start :]} == {"B"}


def test_similarities_of_other_words_are_not_drawn(verdict):
    assert matrix(replace(verdict, similarity=np.eye(3, dtype=np.float32))) is None


def test_the_score_stands_among_the_reference_pages(verdict):
    reference = Reference((0.0, 1.0, 2.0, 3.0), (4.0, 5.0, 6.0, 7.0))
    shown = reference_plot(replace(verdict, score=2.5, reference=reference))
    assert shown is not None
    assert (shown.as_high, shown.as_low, shown.one_count, shown.several_count) == (1, 0, 4, 4)
    assert 0 < shown.x < WIDTH / 2


@pytest.mark.parametrize("score", [-1e6, 0.0, 1e6])
def test_a_score_beyond_all_reference_pages_stays_on_the_axis(verdict, score):
    shown = reference_plot(replace(verdict, score=score, reference=Reference((0.0,), (0.0,))))
    assert shown is not None and 0 <= shown.x <= WIDTH


def test_without_reference_pages_there_is_no_context(verdict, run):
    bare = replace(verdict, reference=Reference((), ()))
    assert reference_plot(bare) is None
    assert "score in context" not in page_html(bare, run)


def test_the_index_lists_the_strongest_page_first_and_the_failures_last(verdict, run):
    weak, strong = page_record(replace(verdict, log10_lr=-1.0)), page_record(replace(verdict, log10_lr=1.0))
    broken = failure_record(PageError("torn.png", "the file is empty"))
    html = index_html(
        [IndexRow.of(broken, None), IndexRow.of(weak, "weak.html"), IndexRow.of(strong, "strong.html")], run
    )
    assert html.index("strong.html") < html.index("weak.html") < html.index("torn.png")
    assert verdict.propositions.population in html


def test_both_languages_say_the_same_things():
    english, korean = texts(Language.en), texts(Language.ko)
    assert english.keys() == korean.keys()
    for key, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", korean[key])), key
