"""What is written is valid by the schemas of PAGE, of ALTO and of the TEI."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from lxml import etree

from handshift.page.alto_reader import read_alto
from handshift.page.alto_writer import write_alto
from handshift.page.hand_labels import HandsOnPage
from handshift.page.page_xml_writer import write_page_xml
from handshift.page.safe_xml import parse_xml
from handshift.page.tei_writer import write_tei
from handshift.page.word import Box, Page, Word

SCHEMAS = Path(__file__).with_name("schemas")


def page(name: str, hands: list[str], texts: list[str | None]) -> HandsOnPage:
    ink = np.zeros((1, 1), np.uint8)
    words = tuple(
        Word(Box(30 * (k % 4), 20 * (k // 4), 20, 10), k // 4, ink, text) for k, text in enumerate(texts)
    )
    sheet = Page(np.full((80, 160, 3), 255, np.uint8), words, Path(name), "ab" * 32, number=len(hands) % 2)
    return HandsOnPage(sheet, hands, list(np.linspace(0.0, 1.0, len(hands))))


DOCUMENTS = {
    "one hand": [page("a.png", ["A"] * 5, ["to", "be", None, "or & <not>", "\x07"])],
    "two hands on two pages": [
        page("my letter.png", ["A", "B", "B", "A"], [None] * 4),
        page("편지.png", ["B"] * 6, ["안녕", None, None, None, None, None]),
    ],
    "an empty page": [page("blank.png", [], [])],
    "thirty hands": [page("codex.png", [*map(chr, range(65, 91)), "AA", "AB"], [None] * 28)],
}


@pytest.fixture(scope="module")
def tei() -> etree.RelaxNG:
    return etree.RelaxNG(etree.fromstring(gzip.decompress((SCHEMAS / "tei_all-3.0.0.rng.gz").read_bytes())))


@pytest.fixture(scope="module")
def page_xml() -> etree.XMLSchema:
    return etree.XMLSchema(etree.parse(SCHEMAS / "pagecontent-2019-07-15.xsd"))


@pytest.fixture(scope="module")
def alto() -> etree.XMLSchema:
    tree = etree.fromstring(gzip.decompress((SCHEMAS / "alto-4-2.xsd.gz").read_bytes()))
    links = next(tree.iter("{*}import"))
    links.set("schemaLocation", (SCHEMAS / "xlink.xsd").as_uri())  # not from the network
    return etree.XMLSchema(tree)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_tei_is_valid(tei, tmp_path, name):
    write_tei(DOCUMENTS[name], tmp_path / "out.xml")
    tei.assertValid(etree.parse(tmp_path / "out.xml"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_page_xml_is_valid(page_xml, tmp_path, name):
    for handed in DOCUMENTS[name]:
        write_page_xml(handed, tmp_path / "out.xml")
        page_xml.assertValid(etree.parse(tmp_path / "out.xml"))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_alto_is_valid(alto, tmp_path, name):
    for handed in DOCUMENTS[name]:
        write_alto(handed, tmp_path / "out.xml")
        alto.assertValid(etree.parse(tmp_path / "out.xml"))


def test_the_schemas_refuse_what_is_wrong(tei, page_xml, alto, tmp_path):
    write_tei(DOCUMENTS["one hand"], tmp_path / "tei.xml")
    write_page_xml(DOCUMENTS["one hand"][0], tmp_path / "page.xml")
    write_alto(DOCUMENTS["one hand"][0], tmp_path / "alto.xml")
    wrong = ((tei, "tei.xml", "handNotes"), (page_xml, "page.xml", "Coords"), (alto, "alto.xml", "String"))
    for schema, name, element in wrong:
        tree = etree.parse(tmp_path / name)
        found = next(child for child in tree.iter() if etree.QName(child).localname == element)
        found.set("nonsense", "1")
        assert not schema.validate(tree)


def test_hands_go_on_from_page_to_page(tmp_path):
    write_tei(DOCUMENTS["two hands on two pages"], tmp_path / "out.xml")
    names = [etree.QName(child).localname for child in etree.parse(tmp_path / "out.xml").iter() if child.tag]
    assert names.count("pb") == names.count("surface") == 2
    assert names.count("handShift") == 4  # A, B, A, and B at the head of the second page


def test_every_page_begins_with_its_hand(tmp_path):
    pages = [page("a.png", ["A"] * 3, [None] * 3), page("b.png", ["A"] * 3, [None] * 3)]
    write_tei(pages, tmp_path / "out.xml")
    block = next(etree.parse(tmp_path / "out.xml").iter("{*}ab"))
    names = [etree.QName(child).localname for child in block]
    assert [names[at + 1] for at, name in enumerate(names) if name == "pb"] == ["handShift", "handShift"]


def test_alto_is_read_back_with_its_words_and_names_their_hands(tmp_path):
    (first, second) = DOCUMENTS["two hands on two pages"]
    for handed in (first, second):
        write_alto(handed, tmp_path / "out.xml")
        tree = etree.parse(tmp_path / "out.xml")
        tags = {tag.get("ID"): tag.get("LABEL") for tag in tree.iter("{*}OtherTag")}
        strings = list(tree.iter("{*}String"))
        assert [tags[one.get("TAGREFS")] for one in strings] == list(handed.hands)
        path = tmp_path / "out.xml"
        number = handed.page.number  # which the file holds as its only page
        found = read_alto(parse_xml(path), path, number) or read_alto(parse_xml(path), path)
        assert found is not None
        words = found.fitted_to(160, 80)
        assert [tuple(word.box) for word in words] == [tuple(word.box) for word in handed.page.words]
