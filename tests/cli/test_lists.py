"""Lists, known samples and reports of hands, from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner

import handshift
from handshift.cli import app

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
    (pair,) = json.loads((tmp_path / "h.json").read_text("utf-8"))["pairs"]
    verified = json.loads((tmp_path / "v.json").read_text("utf-8"))
    assert pair["log10_lr"] == pytest.approx(verified["log10_lr"])


def test_what_contradicts_itself_is_refused() -> None:
    refused = CliRunner().invoke(app, ["verify", str(ONE), str(TWO), "--known", str(ONE)])
    assert refused.exit_code == 2
    refused = CliRunner().invoke(app, ["hands", str(ONE), "--by", "line", "--tei", "x.xml"])
    assert refused.exit_code == 2
