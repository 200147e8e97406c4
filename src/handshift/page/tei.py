"""Words and their hands are written as TEI P5, with ``<handShift/>`` where another scribe takes over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from handshift import __version__
from handshift.atomic import write_bytes
from handshift.page.hands import MAIN_HAND, lines_with_hands
from handshift.page.safexml import printable
from handshift.page.word import Box, Page

NAMESPACE = "http://www.tei-c.org/ns/1.0"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
MEANING_OF_CERT = (
    "Hands were told apart by handshift. The cert attribute of w is the probability that the word is rightly "
    "ascribed to the main hand, or rightly set apart from it."
)


def write_tei(page: Page, hands: Sequence[str], posteriors: Sequence[float], path: Path | str) -> None:
    """Write header, facsimile and text: a zone and a ``<w>`` for each word, linked by ``facs``.

    ``posteriors`` are each word's probability of *not* being in hand A.
    """
    root = Element("TEI", {"xmlns": NAMESPACE})
    _write_header(root, page, hands)
    _write_facsimile(root, page)
    _write_text(root, page, hands, posteriors)
    indent(root)
    write_bytes(path, tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")


def _write_header(root: Element, page: Page, hands: Sequence[str]) -> None:
    header = SubElement(root, "teiHeader")
    name = printable(page.source.name)
    description = SubElement(header, "fileDesc")
    SubElement(SubElement(description, "titleStmt"), "title").text = f"The hands in {name}"
    SubElement(SubElement(description, "publicationStmt"), "p").text = "Unpublished working file."
    source = f"{name}, page {page.number + 1}, SHA-256 {page.sha256}"
    SubElement(SubElement(description, "sourceDesc"), "p").text = source
    encoding = SubElement(header, "encodingDesc")
    SubElement(SubElement(encoding, "editorialDecl"), "p").text = MEANING_OF_CERT
    program = SubElement(
        SubElement(encoding, "appInfo"), "application", ident="handshift", version=__version__
    )
    SubElement(program, "label").text = "handshift"
    notes = SubElement(SubElement(header, "profileDesc"), "handNotes")
    for hand in sorted({MAIN_HAND, *hands}):
        note = SubElement(notes, "handNote", {XML_ID: hand})
        if hand == MAIN_HAND:
            note.text = "The main hand of the page."
        else:
            note.text = f"Another hand. Words ascribed to it: {hands.count(hand)}."


def _write_facsimile(root: Element, page: Page) -> None:
    height, width = page.image.shape[:2]
    surface = SubElement(SubElement(root, "facsimile"), "surface", {XML_ID: "surface1"})
    surface.attrib |= _corners(Box(0, 0, width, height))
    graphic = SubElement(surface, "graphic", url=quote(page.source.name.encode("utf-8", "surrogateescape")))
    graphic.attrib |= {"width": f"{width}px", "height": f"{height}px"}
    for number, word in enumerate(page.words, 1):
        SubElement(surface, "zone", {XML_ID: f"zone{number}"} | _corners(word.box))


def _write_text(root: Element, page: Page, hands: Sequence[str], posteriors: Sequence[float]) -> None:
    block = SubElement(SubElement(SubElement(root, "text"), "body"), "ab")
    SubElement(block, "pb", n=str(page.number + 1), facs="#surface1")
    writing: str | None = None
    for number, words in lines_with_hands(page, hands, posteriors):
        SubElement(block, "lb", n=str(number))
        for handed in words:
            if handed.hand != writing:
                writing = handed.hand
                SubElement(block, "handShift", new=f"#{writing}")
            word = SubElement(block, "w", {XML_ID: f"word{handed.number}", "facs": f"#zone{handed.number}"})
            word.set("cert", f"{handed.certainty:.4f}")
            if handed.word.text:
                word.text = printable(handed.word.text)
            else:
                SubElement(word, "gap", reason="untranscribed")


def _corners(box: Box) -> dict[str, str]:
    """TEI names corners: the lower right one lies just outside of the box."""
    sides = {"ulx": box.x, "uly": box.y, "lrx": box.x + box.width, "lry": box.y + box.height}
    return {side: str(value) for side, value in sides.items()}
