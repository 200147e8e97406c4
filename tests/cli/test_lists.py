"""Lists, known samples and reports of hands, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

import handshift
from handshift.attribution.entry_list import Entry
from handshift.calibration.scope import Scope, ScopeReason
from handshift.calibration.scope_guard import ScopeGuard
from handshift.cli import app
from handshift.cli.exits import Exit
from handshift.page.word import Box, Page
from handshift.pipeline.list_comparer import of_one_script

DEMO = Path(handshift.__file__).parent / "demo"
ONE, TWO = DEMO / "one-hand.png", DEMO / "two-hands.png"


def run(*arguments: str | Path) -> str:
    ended = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_the_lines_of_a_list_are_ranked_with_the_false_pairs_expected(tmp_path: Path) -> None:
    out = run(
        "hands", TWO, "--by", "line", "--json", tmp_path / "l.json", "--out", tmp_path, "--case", "7/26"
    )
    assert "comparisons were made" in out
    found = json.loads((tmp_path / "l.json").read_text("utf-8"))
    assert found["comparisons"] == len(found["entries"]) * (len(found["entries"]) - 1) // 2
    expected = [pair["expected_false_pairs"] for pair in found["pairs"]]
    assert expected == sorted(expected) and found["case"] == {"case": "7/26"}
    assert "data:image/png" in (tmp_path / "two-hands-list.html").read_text("utf-8")


def test_another_pen_on_another_line_of_a_list_is_no_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("handshift.pipeline.embed_page.page_warnings", lambda _: ("two pens",))
    run("hands", TWO, "--by", "line", "--json", tmp_path / "l.json")
    assert json.loads((tmp_path / "l.json").read_text("utf-8"))["warnings"] == []
    run("hands", TWO, ONE, "--by", "file", "--json", tmp_path / "f.json")
    assert json.loads((tmp_path / "f.json").read_text("utf-8"))["warnings"] == ["two pens"]


def test_known_samples_state_their_own_variation_and_typicality(tmp_path: Path) -> None:
    out = run("verify", TWO, "--known", ONE, "--json", tmp_path / "v.json", "--no-read")
    assert "one page, so the person's own variation is not known" in out
    known = json.loads((tmp_path / "v.json").read_text("utf-8"))["known"]
    assert known["pages"] == 1 and known["own"] == [] and 0 <= known["strangers"] <= 1


def test_hands_and_verify_give_one_ratio_for_two_pages(tmp_path: Path) -> None:
    other = tmp_path / "other.png"
    cv2.imwrite(str(other), cv2.imread(str(ONE))[2:])  # another file of the same writing
    shown = run("hands", ONE, other, "--json", tmp_path / "h.json", "--out", tmp_path, "--lang", "ko")
    assert "2쪽에서 필적 1개" in shown and "linked" not in shown
    run("verify", ONE, other, "--json", tmp_path / "v.json", "--no-read")
    document = json.loads((tmp_path / "h.json").read_text("utf-8"))
    (pair,) = document["pairs"]
    verified = json.loads((tmp_path / "v.json").read_text("utf-8"))
    assert pair["log10_lr"] == pytest.approx(verified["log10_lr"])
    assert document["propositions"] == verified["propositions"]
    report = (tmp_path / "one-hand-hands.html").read_text("utf-8")
    assert "명제 1: 한 사람이 서로 다른 날에 둘 다 썼다." in report
    assert "한 쪽에 필적이 1개에서 5개일 사전 확률: 0.8" in report and "one-hand.png · A" in report


def test_what_contradicts_itself_is_refused() -> None:
    refused = CliRunner().invoke(app, ["verify", str(ONE), str(TWO), "--known", str(ONE)])
    assert refused.exit_code == 2
    refused = CliRunner().invoke(app, ["verify", str(ONE)])
    assert refused.exit_code == 2 and "give a second page or folder" in refused.output
    refused = CliRunner().invoke(app, ["hands", str(ONE), "--by", "line", "--tei", "x.xml"])
    assert refused.exit_code == 2


def test_a_list_outside_of_the_scope_says_so_before_any_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = Scope((ScopeReason("drawn", 0.0, {"share": 0.1, "height": 20.0}),))
    monkeypatch.setattr(ScopeGuard, "judge", lambda *_: outside)
    record = tmp_path / "l.json"
    ended = CliRunner().invoke(app, ["hands", str(TWO), "--by", "line", "--json", str(record)])
    assert ended.exit_code == Exit.OUT_OF_SCOPE
    assert ended.output.index("Outside of what was validated") < ended.output.index("Entries:")
    found = json.loads(record.read_text("utf-8"))
    assert not found["scope"]["inside"] and {pair["log10_lr"] for pair in found["pairs"]} == {0.0}
    assert any(pair["weight"] for pair in found["pairs"])  # the ranking stays


def test_most_cropped_entries_decide_on_the_script_of_all() -> None:
    page = Page(np.zeros((9, 9, 3), np.uint8), (), Path("entry.png"), "")
    arabic, plain = Scope((ScopeReason("script", 0.0),)), Scope((ScopeReason("few-words", 0.5),))

    def inside(*scopes: Scope) -> list[bool]:
        entries = [Entry(page, 1, Box(0, 0, 9, 9), 3, scope) for scope in scopes]
        return [not entry.scope.withheld for entry in of_one_script(entries)]

    assert inside(plain, arabic, plain) == [True] * 3
    assert inside(arabic, arabic, plain) == [False] * 3
