"""The scope of a verdict: said first, in two languages, and applied by one rule."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handshift.calibration.scope import INSIDE, Scope, ScopeReason
from handshift.calibration.verbal_scale import Language
from handshift.cli import app
from handshift.demo import ONE_HAND, SHA256, TWO_HANDS

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


def test_the_bundled_pages_are_known_as_drawn():
    assert {hashlib.sha256(path.read_bytes()).hexdigest() for path in (ONE_HAND, TWO_HANDS)} == SHA256


def test_a_drawn_page_says_so_and_shows_its_ratio(tmp_path):
    path = tmp_path / "found.json"
    ended = CliRunner().invoke(app, ["examine", str(TWO_HANDS), "--no-report", "--json", str(path)])
    assert ended.exit_code == 0
    assert "Synthetic demonstration" in ended.output
    assert "log10 LR" in ended.output
    (page,) = json.loads(path.read_text("utf-8"))["pages"]
    assert page["scope"]["inside"]
    assert [reason["code"] for reason in page["scope"]["reasons"]] == ["synthetic"]
