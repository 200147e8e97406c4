"""The scope of a verdict: said first, in two languages, and applied by one rule."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from handshift.calibration.scope import INSIDE, Scope, ScopeReason
from handshift.calibration.scope_guard import ScopeGuard
from handshift.calibration.verbal_scale import Language
from handshift.cli import app
from handshift.corpus.scribes import Passage, Scribe, draw_page, save_page
from handshift.corpus.scribes.texts import ENGLISH
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.page.components import stroke_width
from handshift.page.decode_worker import isolated_pages
from handshift.page.scan import Scan
from handshift.page.synthetic_mark import is_synthetic, mark_synthetic
from handshift.page.word import Box, Word
from handshift.pipeline.read_pages import segment_scan

TEXTS = json.loads((Path(__file__).parents[2] / "src/handshift/calibration/scope.json").read_text("utf-8"))
SHRUNK = ScopeReason("resolution", 0.5, {"pixels": 7.0})
REFUSED = ScopeReason("printed", 0.0, {"share": 0.9})


def test_a_page_is_outside_as_soon_as_one_reason_weighs_less_than_one():
    assert INSIDE.inside and INSIDE.headline() is None
    assert Scope((ScopeReason("synthetic", 1.0),)).inside
    assert not Scope((SHRUNK,)).inside


def test_the_least_weight_applies_and_force_lifts_it():
    assert Scope((SHRUNK, REFUSED)).weight == 0
    assert Scope((SHRUNK, REFUSED)).withheld
    forced = Scope((SHRUNK, REFUSED), forced=True)
    assert forced.weight == 1
    assert not forced.inside
    assert "--force" in (forced.headline() or "")


def test_pages_together_are_as_doubtful_as_the_worst():
    joined = INSIDE.joined(Scope((SHRUNK,)), Scope((ScopeReason("resolution", 0.2, {"pixels": 5.0}),)))
    assert [reason.weight for reason in joined.reasons] == [0.2]


def test_a_scope_survives_its_record():
    scope = Scope((SHRUNK, REFUSED), forced=True)
    assert Scope.from_record(json.loads(json.dumps(scope.record()))) == scope


@pytest.mark.parametrize("code", TEXTS)
def test_every_reason_is_said_in_every_language(code):
    assert set(TEXTS[code]) == {language.value for language in Language}


@pytest.mark.parametrize("path", [ONE_HAND, TWO_HANDS])
def test_the_bundled_pages_carry_the_mark_of_a_drawn_page(path):
    content = path.read_bytes()
    assert is_synthetic(content)
    assert mark_synthetic(content) == content


def test_a_page_by_scribes_carries_the_mark_through_the_worker_and_loses_it_with_the_file(tmp_path):
    drawn, copied = tmp_path / "drawn.png", tmp_path / "copied.png"
    save_page(draw_page([Passage(Scribe(3), "a few words by nobody")], seed=1), drawn)
    Image.open(drawn).convert("RGB").save(copied)
    assert [scan.synthetic for scan in isolated_pages(drawn)] == [True]
    assert [scan.synthetic for scan in isolated_pages(copied)] == [False]


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff" + bytes(99)])
def test_a_torn_file_carries_no_mark(content):
    assert not is_synthetic(content)


def test_a_drawn_page_says_so_and_shows_its_ratio(tmp_path):
    path = tmp_path / "found.json"
    ended = CliRunner().invoke(app, ["examine", str(TWO_HANDS), "--no-report", "--json", str(path)])
    assert ended.exit_code == 0
    assert "Synthetic demonstration" in ended.output
    assert "log10 LR" in ended.output
    (page,) = json.loads(path.read_text("utf-8"))["pages"]
    assert page["scope"]["inside"]
    assert [reason["code"] for reason in page["scope"]["reasons"]] == ["synthetic"]


def test_a_sketch_is_called_a_drawing_and_writing_is_not():
    rng = np.random.default_rng(3)
    sketch = np.full((1500, 1240, 3), 248, np.uint8)
    turn = np.linspace(0, 2 * np.pi, 90)
    for _ in range(9):
        middle, size = rng.uniform(200, 1000, 2), rng.uniform(80, 220)
        curve = middle + size * np.column_stack([np.cos(2 * turn), np.sin(3 * turn)])
        cv2.polylines(sketch, [curve.astype(np.int32)], False, (40, 40, 60), 3, cv2.LINE_AA)
    written = draw_page([Passage(Scribe(3), ENGLISH)], seed=1).image
    assert "drawn" in codes_of(sketch)
    assert "drawn" not in codes_of(written)


@pytest.mark.parametrize(("words", "refused"), [(6, True), (20, False)])
def test_letters_of_thin_long_strokes_are_a_drawing_where_there_are_few(words, refused):
    thin = np.zeros((140, 200), np.uint8)
    cv2.rectangle(thin, (5, 5), (190, 130), 255, 4)
    marks = [Word(Box(0, 150 * at, 200, 140), at, thin) for at in range(words)]
    size = 13.5 * stroke_width((thin > 0).astype(np.uint8))
    page = replace(
        segment_scan(Scan(np.full((300, 300, 3), 255, np.uint8), Path("page"), "")), letter_size=size
    )
    page = replace(page, words=tuple(marks))
    reasons = ScopeGuard().judge(page, page.words, np.zeros((0, 2), np.float32)).reasons
    assert ("drawn" in {reason.code for reason in reasons}) is refused


def codes_of(image: np.ndarray) -> set[str]:
    """Reasons of the guard for a page, without those of the vectors."""
    page = segment_scan(Scan(image, Path("page"), ""))
    return {
        reason.code for reason in ScopeGuard().judge(page, page.words, np.zeros((0, 2), np.float32)).reasons
    }
