"""The report as PDF, in two languages, made again from findings, and with other words for ratios."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np
import pypdfium2
import pytest

from handshift.attribution.matching_words import MatchingWords, matching_words
from handshift.attribution.verdict import Verdict
from handshift.calibration.verbal_scale import SHIPPED, Language, Scale
from handshift.core.errors import HandshiftError
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.page.word import Box, Word
from handshift.pipeline.examiner import Examiner
from handshift.report import Run, page_html
from handshift.report.findings_record import packed, page_record, run_json, unpacked
from handshift.report.load_findings import load_findings, run_of, verdict_of
from handshift.report.pdf import page_pdf


@pytest.fixture(scope="module")
def examiner() -> Examiner:
    return Examiner()


@pytest.fixture(scope="module")
def verdict(examiner: Examiner) -> Verdict:
    return next(examiner.examine(TWO_HANDS))


@pytest.fixture
def run(examiner: Examiner) -> Run:
    return Run(examiner.model, datetime(2026, 1, 2, 3, 4, tzinfo=UTC), {"model": examiner.model.id})


def text_of(pdf: bytes) -> str:
    with pypdfium2.PdfDocument(pdf) as document:
        pages = [document[number].get_textpage().get_text_bounded() for number in range(len(document))]
    return " ".join(" ".join(pages).split())


def test_the_pdf_holds_the_finding_and_what_it_rests_on(verdict, run):
    hands = [finding.hand for finding in verdict.words]
    same = MatchingWords((hands.index("A") + 1, hands.index("B") + 1), "letters")
    told = text_of(page_pdf(replace(verdict, alike=(same,)), run))
    for part in (
        f"{verdict.log10_lr:+.2f}",
        verdict.propositions.one_hand,
        "Not validated for casework",
        "side by side",
        verdict.page.sha256[:32],
        run.card.id,
        "onnxruntime",
        "ENFSI 2015",
    ):
        assert part in told


def test_a_page_by_one_hand_has_a_pdf_too(examiner, run):
    told = text_of(page_pdf(next(examiner.examine(ONE_HAND)), run))
    assert "support for one hand" in told and "side by side" not in told


def test_korean_is_set_with_a_font_that_has_it(verdict, run):
    told = text_of(page_pdf(verdict, replace(run, language=Language.ko)))
    assert "두 사람 이상의 필적" in told and "실제 사건 감정용으로 검증되지" in told


def test_a_file_name_cannot_smuggle_in_code(verdict, run):
    evil = Path('#panic("boom")\udcff"].png')
    page = replace(verdict.page, source=evil)
    assert '#panic("boom")' in text_of(page_pdf(replace(verdict, page=page), run))


def test_a_report_is_made_again_from_findings(verdict, run, tmp_path):
    path = tmp_path / "findings.json"
    size = len(verdict.compared)
    verdict = replace(verdict, similarity=unpacked(packed(verdict.similarity), size))  # stored in percent
    path.write_text(run_json("words-2", [page_record(verdict)], run.record()), "utf-8")
    findings = load_findings(path)
    again = verdict_of(findings["pages"][0], findings["model"], tmp_path)
    assert page_html(again, run_of(findings, run.language, run.scale)) == page_html(verdict, run)


def test_a_scan_that_has_changed_is_not_reported_on(verdict, run, tmp_path):
    record = page_record(verdict) | {"path": "letter.png"}
    (tmp_path / "letter.png").write_bytes(ONE_HAND.read_bytes())
    with pytest.raises(HandshiftError, match="SHA-256 has changed"):
        verdict_of(record, "words-2", tmp_path)
    (tmp_path / "letter.png").unlink()
    with pytest.raises(HandshiftError, match="the scan is missing"):
        verdict_of(record, "words-2", tmp_path)


@pytest.mark.parametrize("content", ["", "[]", '{"pages": 3}'])
def test_what_is_not_findings_is_refused(tmp_path, content):
    (tmp_path / "f.json").write_text(content)
    with pytest.raises(HandshiftError, match="not findings"):
        load_findings(tmp_path / "f.json")


def test_findings_of_an_older_handshift_are_refused_with_advice(verdict, run):
    with pytest.raises(HandshiftError, match="Examine the pages again"):
        run_of(cast(Any, {"handshift": "0", "model": "m", "pages": []}), Language.en, run.scale)


def test_a_verdict_outside_its_bounds_cannot_be(verdict):
    with pytest.raises(ValueError, match="outside of its bounds"):
        replace(verdict, log10_lr=verdict.bounds[1] + 0.1)
    with pytest.raises(ValueError, match="outside of its bounds"):
        replace(verdict, interval=(verdict.bounds[0] - 1, 0.0))


def test_a_verdict_is_never_printed_without_propositions_and_population(verdict):
    for shown in (repr(verdict), str(verdict), f"{verdict}"):
        for part in (verdict.propositions.several_hands, verdict.propositions.one_hand):
            assert part in shown
        assert verdict.propositions.population in shown


def test_another_scale_takes_the_place_of_the_shipped_one(verdict, run, tmp_path):
    content = json.loads(SHIPPED.read_text("utf-8"))
    content |= {"name": "ours", "degrees": [{"from": 5, "en": "some", "ko": "조금"}]}
    (tmp_path / "scale.json").write_text(json.dumps(content), "utf-8")
    scale = Scale.load(tmp_path / "scale.json")
    assert scale.support(2.0) == "some support for more than one hand" and scale.is_neutral(0.5)
    assert "Some support for more than one hand" in page_html(verdict, replace(run, scale=scale))


@pytest.mark.parametrize(
    "degrees", [[], [{"from": 5, "en": "a", "ko": "b"}, {"from": 2, "en": "a", "ko": "b"}]]
)
def test_a_scale_that_does_not_rise_is_refused(tmp_path, degrees):
    content = json.loads(SHIPPED.read_text("utf-8")) | {"degrees": degrees}
    (tmp_path / "scale.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(HandshiftError, match="rising"):
        Scale.load(tmp_path / "scale.json")


def written(text: str | None, strokes: list[int], number: int) -> Word:
    ink = np.zeros((30, 80), np.uint8)
    for x in strokes:
        ink[5:25, x : x + 4] = 255
    return Word(Box(0, 40 * number, 80, 30), number, ink, text)


def test_words_that_say_the_same_are_laid_together_the_longest_first():
    texts = ["the", "house", "The", "tree", "house,"]
    words = [written(text, [0, 76], k) for k, text in enumerate(texts)]
    groups = matching_words(words, ["A", "A", "B", "B", "B"])
    assert [(group.text, group.words) for group in groups] == [("house", (2, 5)), ("the", (1, 3))]


def test_unread_words_are_not_paired_however_alike_they_look():
    words = [written(None, [0, 20, 76], k) for k in range(4)]
    assert matching_words(words, ["A", "A", "B", "B"]) == ()


def test_one_hand_has_nothing_to_compare():
    assert matching_words([written("a", [0], 0), written("a", [0], 1)], ["A", "A"]) == ()
