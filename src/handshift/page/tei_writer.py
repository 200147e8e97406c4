"""Writer of TEI P5 with ``<handShift/>`` where another hand begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement

from handshift.core.version import __version__
from handshift.page.hand_labels import MAIN_HAND, NO_HAND, HandedWord, HandsOnPage
from handshift.page.safe_xml import printable
from handshift.page.word import Box, Page
from handshift.page.word_kind import WordKind
from handshift.page.xml_document import write_xml

NAMESPACE = "http://www.tei-c.org/ns/1.0"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
MEANING_OF_CERT = (
    "Hands were separated by handshift. Every page begins with a handShift that names the hand writing "
    "there; another stands at each change, inside lines too. The words of one hand within a line are a seg "
    "whose hand attribute names it. The cert attribute of w is the probability that the word is by that "
    "hand. A w with a type is not handwriting to be compared."
)


def write_tei(pages: Sequence[HandsOnPage], path: Path | str) -> None:
    """Write a document's header, facsimile and text: a zone and a ``<w>`` for each word, linked by ``facs``.

    Args:
        pages: The document's pages with their attributions, in order.
        path: The file to write.

    Raises:
        WriteError: The file cannot be written.
    """
    root = Element("TEI", {"xmlns": NAMESPACE})
    _write_header(root, pages)
    facsimile = SubElement(root, "facsimile")
    block = Element("ab")
    writing: str | None = None
    for number, handed in enumerate(pages, 1):
        _write_surface(facsimile, number, handed.page)
        writing = _write_words(block, number, handed, writing)
    SubElement(SubElement(root, "text"), "body").append(block)
    write_xml(root, path)


def _write_header(root: Element, pages: Sequence[HandsOnPage]) -> None:
    header = SubElement(root, "teiHeader")
    names = list(dict.fromkeys(printable(handed.page.source.name) for handed in pages))
    title = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
    description = SubElement(header, "fileDesc")
    SubElement(SubElement(description, "titleStmt"), "title").text = f"The hands in {title}"
    SubElement(SubElement(description, "publicationStmt"), "p").text = "Unpublished working file."
    sources = SubElement(description, "sourceDesc")
    for handed in pages:
        page = handed.page
        described = f"{printable(page.source.name)}, page {page.number + 1}, SHA-256 {page.sha256}"
        SubElement(sources, "p").text = described
    encoding = SubElement(header, "encodingDesc")
    SubElement(SubElement(encoding, "editorialDecl"), "p").text = MEANING_OF_CERT
    program = SubElement(
        SubElement(encoding, "appInfo"), "application", ident="handshift", version=__version__
    )
    SubElement(program, "label").text = "handshift"
    _write_hands(SubElement(SubElement(header, "profileDesc"), "handNotes"), pages)


def _write_hands(notes: Element, pages: Sequence[HandsOnPage]) -> None:
    words = Counter(hand for handed in pages for hand in handed.hands if hand != NO_HAND)
    for hand in sorted({MAIN_HAND, *words}, key=lambda name: (len(name), name)):
        scope = ("major" if hand == MAIN_HAND else "minor") if len(words) > 1 else "sole"
        note = SubElement(notes, "handNote", {XML_ID: hand, "scope": scope})
        on = ", ".join(str(number) for number, handed in enumerate(pages, 1) if hand in handed.hands)
        note.text = f"Words ascribed to hand {hand}: {words[hand]}" + (f", on page {on}." if on else ".")


def _write_surface(facsimile: Element, number: int, page: Page) -> None:
    width, height = page.scan_size
    surface = SubElement(facsimile, "surface", {XML_ID: f"surface{number}"})
    surface.attrib |= _corners(Box(0, 0, width, height))
    graphic = SubElement(surface, "graphic", url=quote(page.source.name.encode("utf-8", "surrogateescape")))
    graphic.attrib |= {"width": f"{width}px", "height": f"{height}px"}
    for place, word in enumerate(page.words, 1):
        SubElement(surface, "zone", {XML_ID: f"zone{number}-{place}"} | _corners(page.on_scan(word.box)))


def _write_words(block: Element, number: int, handed: HandsOnPage, writing: str | None) -> str | None:
    """Write one page's words; return the hand that is writing at its end.

    A ``<handShift/>`` stands at the head of the page and wherever another hand begins, inside lines too. TEI
    gives ``w`` no ``hand``: the words of one hand within a line are a ``seg`` that has it.
    """
    SubElement(block, "pb", n=str(number), facs=f"#surface{number}")
    if first := next((hand for hand in handed.hands if hand != NO_HAND), writing):
        writing = first
        SubElement(block, "handShift", new=f"#{writing}")
    for line, words in handed.lines():
        SubElement(block, "lb", n=str(line))
        for hand, run in groupby(words, key=lambda found: found.hand):
            if hand not in (writing, NO_HAND):
                writing = hand
                SubElement(block, "handShift", new=f"#{writing}")
            segment = block if hand == NO_HAND else SubElement(block, "seg", hand=f"#{hand}")
            for found in run:
                _write_word(segment, number, found)
    return writing


def _write_word(segment: Element, number: int, found: HandedWord) -> None:
    place = f"{number}-{found.number}"
    word = SubElement(segment, "w", {XML_ID: f"word{place}", "facs": f"#zone{place}"})
    if found.word.kind is WordKind.WRITING:
        word.set("cert", f"{found.certainty:.4f}")
    else:
        word.set("type", found.word.kind.value)
    if found.word.text:
        word.text = printable(found.word.text)
    else:
        SubElement(word, "gap", reason="untranscribed")


def _corners(box: Box) -> dict[str, str]:
    """TEI names corners: the lower right one lies just outside of the box."""
    sides = {"ulx": box.x, "uly": box.y, "lrx": box.x + box.width, "lry": box.y + box.height}
    return {side: str(value) for side, value in sides.items()}
