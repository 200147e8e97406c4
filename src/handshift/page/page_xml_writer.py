"""Writer of PAGE-XML 2019 with words and their hands, for Transkribus, eScriptorium and OCR-D."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from numpy.typing import NDArray

from handshift.core.version import __version__
from handshift.page.hand_labels import NO_HAND, HandedWord, HandsOnPage, box_around
from handshift.page.safe_xml import printable
from handshift.page.view import View
from handshift.page.word import Box, Page
from handshift.page.word_kind import WordKind
from handshift.page.xml_document import schema_root, write_xml

NAMESPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"
COMMENT = (
    "custom='hand {name:B; certainty:0.9;}' gives the hand a word is ascribed to, A being the main one, "
    "and the probability that it is rightly ascribed; a line has a hand where one wrote all of it. "
    "custom='kind {name:print;}' marks what is not handwriting to be compared (print, stamp, struck-out, "
    "signature, drawing); it has no hand."
)


def write_page_xml(handed: HandsOnPage, path: Path | str) -> None:
    """Write one text region with the page's lines, words and hands, in reading order.

    Args:
        handed: The page and its attributions.
        path: The file to write.

    Raises:
        WriteError: The file cannot be written.
    """
    page = handed.page
    width, height = page.scan_size
    root = schema_root("PcGts", NAMESPACE, f"{NAMESPACE}/pagecontent.xsd")
    _describe(root, page)
    sheet = SubElement(root, "Page", imageFilename=printable(page.source.name))
    sheet.attrib |= {"imageWidth": str(width), "imageHeight": str(height)}
    if page.number:
        sheet.set("custom", f"page {{number:{page.number + 1};}}")
    if page.words:  # neither an order nor a region may be empty
        order = SubElement(SubElement(sheet, "ReadingOrder"), "OrderedGroup", id="order")
        SubElement(order, "RegionRefIndexed", index="0", regionRef="region1")
        region = SubElement(sheet, "TextRegion", id="region1", type="paragraph")
        _outline(region, box_around([word.box for word in page.words]), page.view)
        for number, words in handed.lines():
            _write_line(region, number, words, page.view)
    write_xml(root, path)


def _describe(root: Element, page: Page) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    metadata = SubElement(root, "Metadata")
    for name, text in {
        "Creator": f"handshift {__version__}",
        "Created": now,
        "LastChange": now,
        "Comments": COMMENT,
    }.items():
        SubElement(metadata, name).text = text
    SubElement(metadata, "MetadataItem", type="imageProperties", name="sha256", value=page.sha256)


def _write_line(region: Element, number: int, words: list[HandedWord], view: View) -> None:
    line = SubElement(region, "TextLine", id=f"line{number}")
    hands = {handed.hand for handed in words if handed.hand != NO_HAND}
    whole = f" hand {{name:{printable(hands.pop())};}}" if len(hands) == 1 else ""
    line.set("custom", f"readingOrder {{index:{number - 1};}}{whole}")
    _outline(line, box_around([handed.word.box for handed in words]), view)
    for place, handed in enumerate(words):
        element = SubElement(line, "Word", id=f"word{handed.number}")
        element.set("custom", f"readingOrder {{index:{place};}} {_finding(handed)}")
        _outline(element, handed.word.box, view)
        if handed.word.text is not None:
            _transcribe(element, handed.word.text)
    texts = [handed.word.text for handed in words]
    if all(text is not None for text in texts):
        _transcribe(line, " ".join(filter(None, texts)))


def _finding(handed: HandedWord) -> str:
    if handed.word.kind is not WordKind.WRITING:
        return f"kind {{name:{handed.word.kind.value};}}"
    return f"hand {{name:{printable(handed.hand)}; certainty:{handed.certainty:.4f};}}"


def _outline(element: Element, box: Box, view: View) -> None:
    """Write the corners in pixels of the scan, also where its writing was turned or straightened first."""
    # PAGE names pixels, so that the last column is x + width − 1: no corner lies outside of the image.
    right, bottom = box.x + box.width - 1, box.y + box.height - 1
    corners = [(box.x, box.y), (right, box.y), (right, bottom), (box.x, bottom)]
    if not view.is_whole_scan:
        corners = [_pixel(point, view.scan) for point in view.to_scan(np.array(corners, np.float64))]
    SubElement(element, "Coords", points=" ".join(f"{x},{y}" for x, y in corners))


def _pixel(point: NDArray[np.float64], scan: tuple[int, int]) -> tuple[int, int]:
    x, y = (min(max(round(float(at)), 0), side - 1) for at, side in zip(point, scan, strict=True))
    return x, y


def _transcribe(element: Element, text: str) -> None:
    SubElement(SubElement(element, "TextEquiv"), "Unicode").text = printable(text)
