"""TEI says where another scribe takes over."""

from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np
import pytest

from handshift.page.hand_labels import HandsOnPage
from handshift.page.safe_xml import descendants, local_name, parse_xml
from handshift.page.tei_writer import XML_ID, write_tei
from handshift.page.word import Box, Page, Word


@pytest.fixture
def tei(tmp_path: Path) -> Element:
    ink = np.zeros((1, 1), np.uint8)
    boxes = [Box(0, 0, 20, 10), Box(30, 0, 20, 10), Box(0, 20, 20, 10), Box(30, 20, 20, 10)]
    texts = ["Dear", "Sir", None, "R&D"]
    words = tuple(
        Word(box, number // 2, ink, text) for number, (box, text) in enumerate(zip(boxes, texts, strict=True))
    )
    page = Page(np.full((40, 60, 3), 255, np.uint8), words, Path("my letter.png"), "ab" * 32)
    handed = HandsOnPage(page, ["A", "B", "B", "A"], [0.9, 0.9, 0.8, 0.7])
    write_tei([handed], tmp_path / "out.xml")
    return parse_xml(tmp_path / "out.xml")


def test_a_shift_stands_before_the_first_word_of_each_new_hand(tei: Element) -> None:
    block = next(descendants(tei, "ab"))
    shown = [f"{local_name(child)}{child.get('new', '')}" for child in block]
    assert shown == (
        ["pb", "handShift#A", "lb", "seg", "handShift#B", "seg", "lb", "seg", "handShift#A", "seg"]
    )
    assert [segment.get("hand") for segment in descendants(tei, "seg")] == ["#A", "#B", "#B", "#A"]


def test_every_hand_pointed_to_is_described(tei: Element) -> None:
    described = {note.get(XML_ID) for note in descendants(tei, "handNote")}
    assert described == {"A", "B"}
    assert {shift.get("new", "")[1:] for shift in descendants(tei, "handShift")} <= described


def test_words_are_linked_to_their_zones(tei: Element) -> None:
    zones = {zone.get(XML_ID): zone for zone in descendants(tei, "zone")}
    words = list(descendants(tei, "w"))
    assert [word.text for word in words if word.text and word.text.strip()] == ["Dear", "Sir", "R&D"]
    corners = [zones[word.get("facs", "")[1:]].attrib for word in words]
    assert [(c["ulx"], c["uly"], c["lrx"], c["lry"]) for c in corners][1] == ("30", "0", "50", "10")


def test_certainty_is_that_of_the_ascription(tei: Element) -> None:
    assert [float(word.get("cert", "")) for word in descendants(tei, "w")] == pytest.approx(
        [0.9, 0.9, 0.8, 0.7]
    )


def test_the_source_is_named_and_hashed(tei: Element) -> None:
    assert next(descendants(tei, "graphic")).get("url") == "my%20letter.png"
    (source,) = descendants(tei, "sourceDesc")
    assert "ab" * 32 in "".join(source.itertext())
