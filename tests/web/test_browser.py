"""The page in a real Chromium, as a person uses it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chromium import CHROMIUM, SLOW, launched
from serving import RunningServer

pytest.importorskip("playwright.sync_api", reason="the dev extra brings playwright")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    running = RunningServer(tmp_path_factory.mktemp("bench"))
    yield running
    running.kill()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as opened:
        yield opened


@pytest.fixture
def page(browser: Any, server: RunningServer) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(server.address)
    yield opened
    context.close()
    assert errors == []


@pytest.fixture(scope="module")
def case_id(server: RunningServer) -> int:
    """The guided first case, which the first test opens by hand and the others by address."""
    made: int = server.ask("/api/demo", "POST")["id"]
    return made


def _open(page: Any, case_id: int) -> None:
    page.goto(f"{page.url.partition('#')[0]}#/case/{case_id}")
    page.wait_for_selector(".headline", timeout=SLOW)


def test_from_an_empty_start_to_an_exported_pdf(page: Any, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    page.click("#first-case")
    page.wait_for_selector(".headline", timeout=SLOW)
    assert "support for more than one hand" in page.inner_text(".headline")
    with page.expect_download(timeout=SLOW) as download:
        page.click("#export-pdf")
    path = tmp_path / "report.pdf"
    download.value.save_as(path)
    assert path.read_bytes().startswith(b"%PDF-")


def test_a_new_installation_opens_on_the_guided_first_case(
    browser: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    new = RunningServer(tmp_path_factory.mktemp("new"))
    page = browser.new_page()
    page.goto(f"{new.address}/#/welcome")  # what `handshift serve` opens
    page.wait_for_selector(".guide-box", timeout=SLOW)
    assert "This letter has two hands" in page.inner_text(".guide-box")
    page.goto(f"{new.address}/#/welcome")
    page.wait_for_selector(".card", timeout=SLOW)  # the second time: the list of cases
    assert page.locator(".card").count() == 1
    new.kill()


def test_a_correction_scores_the_page_again_and_undo_takes_it_back(page: Any, case_id: int) -> None:
    _open(page, case_id)
    before = page.inner_text(".weight")
    page.keyboard.press("j")
    page.click("text=Merge with next")
    page.wait_for_selector("text=As computed, without corrections", timeout=SLOW)
    assert page.locator(".panel li", has_text="Words merged").count() == 1
    page.keyboard.press("z")
    page.wait_for_selector("text=As computed, without corrections", state="detached", timeout=SLOW)
    assert page.inner_text(".weight") == before


def test_the_language_is_switched_and_kept(page: Any, case_id: int) -> None:
    _open(page, case_id)
    page.select_option("header select >> nth=0", "ko")
    page.wait_for_selector("text=비교하는 명제", timeout=SLOW)
    assert page.evaluate("document.documentElement.lang") == "ko"
    page.reload()
    page.wait_for_selector("text=비교하는 명제", timeout=SLOW)
    assert "두 사람 이상의 필적" in page.inner_text(".headline")


def test_a_bad_upload_shows_a_message(page: Any, tmp_path: Path) -> None:
    page.fill("input[required]", "Bad files")
    page.click("text=New case")
    page.wait_for_selector(".drop")
    empty = tmp_path / "empty.png"
    empty.write_bytes(b"")
    page.set_input_files(".drop input >> nth=0", empty)
    page.wait_for_selector(".notice.error:has-text('empty')", timeout=SLOW)
    text = tmp_path / "<b>notes<b>.png"
    text.write_text("no picture")
    page.set_input_files(".drop input >> nth=0", text)
    page.wait_for_selector(".chip .bad:has-text('not an image')", timeout=SLOW)
    assert page.locator(".exhibit .name b").count() == 0  # a name is text, never markup


def test_two_tabs_show_the_same_page(page: Any, case_id: int) -> None:
    _open(page, case_id)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(".headline", timeout=SLOW)
    page.keyboard.press("j")
    page.click("text=Not a word")
    other.wait_for_selector("text=As computed, without corrections", timeout=SLOW)
    page.keyboard.press("z")
    other.wait_for_selector("text=As computed, without corrections", state="detached", timeout=SLOW)


def test_a_reload_in_the_middle_of_a_job_keeps_it(page: Any, server: RunningServer) -> None:
    page.fill("input[required]", "Reloaded")
    page.click("text=New case")
    page.wait_for_selector(".drop")
    from handshift.demo import ONE_HAND

    page.set_input_files(".drop input >> nth=0", ONE_HAND)
    page.wait_for_selector(".exhibit")
    page.reload()
    page.wait_for_selector(".headline", timeout=SLOW)
    assert "support for one hand" in page.inner_text(".headline")


def test_the_keyboard_alone_is_enough(page: Any, case_id: int) -> None:
    _open(page, case_id)
    for _ in range(3):
        page.keyboard.press("j")
    assert "Word 3," in page.inner_text(".word-panel h2")
    page.keyboard.press("k")
    assert "Word 2," in page.inner_text(".word-panel h2")
    shown = page.locator(".marks .word").count()
    page.keyboard.press("2")
    assert page.locator(".marks .word").count() < shown
    page.keyboard.press("2")
    page.keyboard.press("?")
    page.wait_for_selector("kbd")


def test_hovering_over_a_word_shows_its_numbers(page: Any, case_id: int) -> None:
    _open(page, case_id)
    page.wait_for_selector(".marks .word", timeout=SLOW)
    page.wait_for_timeout(800)  # until the page has come to rest
    box = page.locator(".marks .word").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".tip", timeout=SLOW)
    assert "Word 1, line 1" in page.inner_text(".tip") and "certainty" in page.inner_text(".tip")
    page.mouse.move(5, 5)
    page.wait_for_selector(".tip", state="hidden", timeout=SLOW)


def test_pointing_at_a_hand_of_the_legend_highlights_its_words(page: Any, case_id: int) -> None:
    _open(page, case_id)
    page.wait_for_selector(".marks .word", timeout=SLOW)
    page.hover("label.hand:has-text('hand B')")
    page.wait_for_selector(".marks .word.dim[data-hand=A]", timeout=SLOW)
    assert page.locator(".marks .word.dim[data-hand=B]").count() == 0
    page.hover(".headline")
    assert page.locator(".marks .word.dim").count() == 0


def test_two_opinions_are_blind_and_then_show_where_they_differ(
    page: Any, case_id: int, server: RunningServer
) -> None:
    _open(page, case_id)
    page.wait_for_selector(".chip >> nth=1", timeout=SLOW)
    one_hand = server.ask(f"/api/cases/{case_id}")["exhibits"][1]["pages"][0]["id"]
    words = server.ask(f"/api/pages/{one_hand}")["record"]["words"]
    box = ",".join(map(str, words[4]["box"]))
    other = {"examiner": "Kim", "marks": {box: "B"}, "conclusion": "Line 1 looks odd", "submit": True}
    server.ask(f"/api/pages/{one_hand}/opinions", "PUT", other)
    page.fill("#examiner", "Lee")
    page.click(".chip >> nth=1")
    page.wait_for_selector(".headline:has-text('support for one hand')", timeout=SLOW)
    page.click("summary:has-text('Second opinion')")
    page.click("text=Mark words")
    page.wait_for_selector("text=0 words marked", timeout=SLOW)
    assert "odd" not in page.inner_text(".finding")
    page.click("text=Submit, final")
    page.wait_for_selector("text=Submit, final", state="detached", timeout=SLOW)  # the panel is drawn anew
    page.click("summary:has-text('Second opinion')")
    page.wait_for_selector("text=Word 5: you unmarked, Kim hand B", timeout=SLOW)
    assert "Line 1 looks odd" in page.inner_text(".finding")


def test_a_word_is_marked_as_print_and_keeps_its_place(page: Any, case_id: int) -> None:
    _open(page, case_id)
    found = page.locator(".marks .excluded").count()
    page.keyboard.press("j")
    page.select_option(".mark-as", "print")
    printed = ".finding >> text=print: 1, not compared"
    page.wait_for_selector(printed, timeout=SLOW)
    assert page.locator(".marks .excluded").count() == found + 1
    page.keyboard.press("z")
    page.wait_for_selector(printed, state="detached", timeout=SLOW)
    assert page.locator(".marks .excluded").count() == found


def test_the_scope_is_said_before_any_figure(page: Any, case_id: int) -> None:
    _open(page, case_id)
    panels = page.locator(".finding .panel").all_inner_texts()
    assert "Synthetic demonstration" in panels[0]  # the bundled pages are drawn


def test_maps_are_learnt_and_scored_in_the_page(page: Any, tmp_path: Path) -> None:
    import numpy as np

    from handshift.healthmap.simulate.map_model import MapModel
    from handshift.healthmap.simulate.parameters import Condition, MapSimulation

    model, rng = MapModel(MapSimulation.published(), 5), np.random.default_rng(5)
    paths = []
    for number, values in enumerate(model.draw("A", Condition.WARM, 13, rng).maps):
        paths.append(tmp_path / f"map-{number:02d}.npy")
        np.save(paths[-1], values.astype(np.float32))
    page.click("text=Health maps")
    page.wait_for_selector("text=Add machine")  # the form of the cases before it has a required field, too
    page.fill("input[required]", "Mill 3")
    page.click("text=Add machine")
    page.wait_for_selector(".drop")
    page.set_input_files(".drop >> nth=0 >> input >> nth=0", paths[:12])
    page.wait_for_selector("#learn:enabled", timeout=SLOW)
    page.wait_for_selector("text=map-11.npy", timeout=SLOW)
    page.click("#learn")
    page.wait_for_selector("text=What this rests on", timeout=SLOW)
    page.set_input_files(".drop >> nth=1 >> input >> nth=0", paths[12])
    page.wait_for_selector(".maps img", timeout=SLOW)
    assert page.locator(".trend .dot").count() == 1
    assert "alarm" in page.inner_text(".finding .headline").lower()


def test_nothing_is_asked_of_another_machine(page: Any, case_id: int, server: RunningServer) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    _open(page, case_id)
    page.wait_for_timeout(500)
    assert asked and all(url.startswith((server.address, "data:", "blob:")) for url in asked)
