"""handshift examine: what is printed, what is written, and what the shell is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from PIL import Image

from handshift import __version__
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.page.hand_labels import HandsOnPage
from handshift.page.page_xml_writer import write_page_xml
from handshift.page.sidecar import read_segmentation
from handshift.page.word import Page
from handshift.pipeline.examiner import Examiner


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_page_is_one_line_then_what_it_is_measured_against(run, letter):
    done = run("examine", letter)
    assert done.code == 0
    first = done.out.splitlines()[0]
    assert first.startswith(f"{letter} p.1: ")
    assert "words, log10 LR " in first
    assert "more than one hand:" in done.out and "one hand:" in done.out and "among:" in done.out
    assert "Not validated for casework" in done.out


def test_the_report_is_a_file_for_the_page_and_an_index(run, letter):
    done = run("examine", letter)
    (page,) = [name for name in files_below(Path("handshift-report")) if name != "index.html"]
    assert f"Report: handshift-report/{page}" in done.out
    index = Path("handshift-report/index.html").read_text(encoding="utf-8")
    assert f'href="{page}"' in index


def test_json_keeps_its_contract(run, letter):
    run("examine", letter, "--no-report", "--json", "findings.json")

    def refuse(constant: str) -> float:
        raise AssertionError(f"{constant} is not JSON")

    found = json.loads(Path("findings.json").read_text(encoding="utf-8"), parse_constant=refuse)
    assert found["handshift"] == __version__
    assert found["model"] == Examiner().model.id
    (page,) = found["pages"]
    assert page["path"] == str(letter) and len(page["sha256"]) == 64 and page["error"] is None
    assert isinstance(page["score"], float) and isinstance(page["log10_lr"], float)
    assert page["hands"] == len({word["hand"] for word in page["words"]})
    for word in page["words"]:
        assert len(word["box"]) == 4 and all(isinstance(side, int) for side in word["box"])
        assert isinstance(word["line"], int) and word["hand"] in "AB" and 0 <= word["posterior"] <= 1


def test_without_a_report_nothing_but_what_was_asked_for_is_written(run, letter):
    run("examine", letter, "--no-report", "--json", "findings.json")
    assert files_below(Path()) == {"findings.json"}


def test_page_xml_and_tei_carry_the_hands(run, letter):
    assert run("examine", letter, "--no-report", "--page-xml", "out", "--tei", "out").code == 0
    assert files_below(Path("out")) == {"letter.xml", "letter.tei.xml"}
    assert "hand {name:A; certainty:" in Path("out/letter.xml").read_text(encoding="utf-8")
    assert "<handShift" in Path("out/letter.tei.xml").read_text(encoding="utf-8")


def test_a_bad_page_does_not_stop_the_batch_and_is_listed_at_the_end(run, letter):
    Path("pages").mkdir()
    Path("pages/1.png").write_bytes(b"")
    shutil.copy(letter, "pages/2.png")
    done = run("examine", "pages", "--json", "findings.json")
    assert done.code == 1
    assert "pages/2.png p.1:" in done.out
    assert "not examined: pages/1.png: the file is empty" in done.err
    pages = json.loads(Path("findings.json").read_text(encoding="utf-8"))["pages"]
    assert [page["score"] is None for page in pages] == [True, False]
    assert "the file is empty" in Path("handshift-report/index.html").read_text(encoding="utf-8")


def test_a_blank_sheet_does_not_hide_the_pages_after_it(run, letter):
    with Image.open(letter) as scan:
        sheet, blank = scan.convert("RGB"), Image.new("RGB", (600, 800), "white")
    sheet.save("bundle.pdf", save_all=True, append_images=[blank, sheet], resolution=150)
    done = run("examine", "bundle.pdf", "--page-xml", "out")
    assert done.code == 0  # a blank page is a record, not a failure
    assert "bundle.pdf p.1:" in done.out and "bundle.pdf p.3:" in done.out
    assert "not examined: bundle.pdf" in done.err and "seems to be blank" in done.err
    assert files_below(Path("out")) == {"bundle.xml", "bundle-p3.xml"}


def test_two_letters_of_one_name_keep_apart(run, letter):
    for folder in ("a", "b"):
        Path(folder).mkdir()
        shutil.copy(letter, f"{folder}/letter.png")
    assert run("examine", "a", "b", "--tei", "out").code == 0
    assert files_below(Path("out")) == {"letter.tei.xml", "letter-2.tei.xml"}
    assert len(files_below(Path("handshift-report"))) == 3


def test_a_segmentation_beside_the_scan_is_used_and_its_text_shown(run, letter):
    shutil.copy(letter, "letter.png")
    page = next(Examiner().examine(letter)).page
    write_page_xml(HandsOnPage(page, ["A"] * len(page.words), [1.0] * len(page.words)), "letter.xml")
    content = Path("letter.xml").read_text(encoding="utf-8")
    equivalent = "<TextEquiv><Unicode>Sehnsucht</Unicode></TextEquiv></Word>"
    Path("letter.xml").write_text(content.replace("</Word>", equivalent), encoding="utf-8")
    assert len(read_segmentation("letter.xml").pieces) == len(page.words)
    run("examine", "letter.png", "--no-report", "--json", "findings.json")
    words = json.loads(Path("findings.json").read_text(encoding="utf-8"))["pages"][0]["words"]
    assert [word["text"] for word in words] == ["Sehnsucht"] * len(page.words)


def test_ctrl_c_keeps_what_is_finished(run, letter, monkeypatch):
    for number in (1, 2, 3):
        shutil.copy(letter, f"{number}.png")
    examine_page = Examiner.examine_page

    def impatient(self: Examiner, page: Page) -> object:
        if page.source.name == "3.png":
            raise KeyboardInterrupt
        return examine_page(self, page)

    monkeypatch.setattr(Examiner, "examine_page", impatient)
    done = run("examine", ".", "--json", "findings.json")
    assert done.code == 130
    assert "stopped by you; 2 finished pages are kept" in done.err
    assert len(json.loads(Path("findings.json").read_text(encoding="utf-8"))["pages"]) == 2
    assert Path("handshift-report/index.html").exists()


def test_somebody_elses_file_is_not_written_over(run, letter):
    mine = Path("letter.xml")
    mine.write_text("<transcript>years of work</transcript>", encoding="utf-8")
    done = run("examine", letter, "--json", mine)
    assert done.code == 4 and "was not written by handshift" in done.err
    assert run("examine", letter, "--page-xml", ".").code == 4
    assert "years of work" in mine.read_text(encoding="utf-8")


def test_a_second_run_replaces_the_first(run, letter):
    for _ in range(2):
        assert run("examine", letter, "--json", "findings.json", "--page-xml", "xml").code == 0
    assert len(files_below(Path("handshift-report"))) == 2


def test_a_place_that_cannot_be_written_to_is_told_before_the_work(run, letter):
    Path("taken").write_text("a file", encoding="utf-8")
    done = run("examine", letter, "--out", "taken")
    assert done.code == 4 and "taken: a file where a folder was wanted" in done.err
    assert done.out == ""


@pytest.mark.parametrize("arguments", [["--model", "nonsense"], ["--lang", "xx"], ["--nonsense"]])
def test_wrong_usage_is_code_2(run, letter, arguments):
    assert run("examine", letter, *arguments).code == 2


def test_no_path_is_wrong_usage(run):
    assert run("examine").code == 2


def test_a_bug_on_one_page_is_told_and_does_not_stop_the_batch(run, letter, monkeypatch):
    for number in (1, 2):
        shutil.copy(letter, f"{number}.png")
    examine_page = Examiner.examine_page

    def clumsy(self: Examiner, page: Page) -> object:
        if page.source.name == "1.png":
            raise ZeroDivisionError("oops")
        return examine_page(self, page)

    monkeypatch.setattr(Examiner, "examine_page", clumsy)
    done = run("examine", ".", "--no-report")
    assert done.code == 1
    assert "1.png: handshift failed on this page (ZeroDivisionError: oops); please report it" in done.err


def test_the_demo_says_what_to_expect_and_finds_it(run):
    done = run("demo", "--out", "demo-report")
    assert done.code == 0
    assert done.out.splitlines()[0].startswith("Two letters by synthetic scribes. Expect:")
    assert "Report: demo-report/index.html" in done.out
    two, one = (line for line in done.out.splitlines() if "log10 LR " in line and " p.1:" in line)
    assert TWO_HANDS.name in two and "support for more than one hand" in two
    assert ONE_HAND.name in one and "support for one hand" in one
