"""Every finding is a table for spreadsheets too, with model and case in each row."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from handshift.demo import ONE_HAND, TWO_HANDS


def table(path: str) -> list[dict[str, str]]:
    content = Path(path).read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(content)))


def test_hands_of_a_document_are_a_row_for_each_hand_of_each_page(run: Any) -> None:
    Path("blank.png").write_bytes(_blank())
    shutil.copy(ONE_HAND, "=1+1.png")
    done = run("hands", TWO_HANDS, "=1+1.png", "blank.png", "--csv", "h.csv", "--case", "-7")
    assert done.code == 0, done.err
    first, second, third, blank = table("h.csv")
    assert (first["place"], first["hand"], second["hand"], third["place"]) == ("1", "A", "B", "2")
    assert first["linked"] == "True" and float(first["log10_lr"]) > 0 and "one writer" in first["support"]
    assert third["path"] == "'=1+1.png" and {row["case"] for row in table("h.csv")} == {"'-7"}
    assert blank["status"] == "blank" and blank["error"] and not blank["hand"]


def test_pairs_of_a_list_are_rows_in_the_order_of_their_ranks(run: Any) -> None:
    done = run("hands", TWO_HANDS, "--by", "line", "--csv", "l.csv", "--json", "l.json", "--lang", "ko")
    assert done.code == 0, done.err
    pairs = json.loads(Path("l.json").read_text("utf-8"))["pairs"]
    rows = table("l.csv")
    assert [row["rank"] for row in rows] == [str(rank) for rank in range(1, len(pairs) + 1)]
    for row, pair in zip(rows, pairs, strict=True):
        assert [int(row["entry_1"]), int(row["entry_2"])] == pair["entries"]
        assert float(row["expected_false_pairs"]) == pytest.approx(pair["expected_false_pairs"], rel=1e-5)
    assert "뒷받침" in "".join(row["support"] for row in rows)


def test_a_comparison_is_a_row_followed_by_those_hand_by_hand(run: Any) -> None:
    done = run("verify", ONE_HAND, TWO_HANDS, "--csv", "v.csv", "--json", "v.json", "--examiner", "Kim")
    assert done.code == 0, done.err
    found = json.loads(Path("v.json").read_text("utf-8"))
    whole, *by_hand = table("v.csv")
    assert (
        float(whole["log10_lr"]) == pytest.approx(found["log10_lr"], rel=1e-5) and whole["examiner"] == "Kim"
    )
    assert [row["hand_b"] for row in by_hand] == [one["hands"][1] for one in found["by_hand"]] == ["A", "B"]


def test_an_identification_is_a_row_for_each_candidate(run: Any) -> None:
    for name, page in (("Ada", ONE_HAND), ("Bea", TWO_HANDS)):
        assert run("enroll", name, page, "--gallery", "gallery").code == 0
    done = run("identify", TWO_HANDS, "nowhere.png", "--gallery", "gallery", "--csv", "i.csv")
    assert done.code == 1, done.err
    first, second, failed = table("i.csv")
    assert {first["name"], second["name"]} == {"Ada", "Bea"} and second["rank"] == "2"
    assert failed["path"] == "nowhere.png" and "no such file" in failed["error"]
    assert run("identify", TWO_HANDS, "--gallery", "gallery", "--csv", "i.csv").code == 0  # its own table
    Path("i.csv").write_text("mine", "utf-8")
    assert run("identify", TWO_HANDS, "--gallery", "gallery", "--csv", "i.csv").code == 4


def _blank() -> bytes:
    from PIL import Image

    content = io.BytesIO()
    Image.new("RGB", (600, 800), "white").save(content, "PNG")
    return content.getvalue()
