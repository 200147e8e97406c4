"""Writer of ALTO 4 with words and their hands as tags, for libraries and archives."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from handshift.core.version import __version__
from handshift.page.hand_labels import NO_HAND, HandedWord, HandsOnPage, box_around
from handshift.page.safe_xml import printable
from handshift.page.word import Box, Page
from handshift.page.xml_document import schema_root, write_xml

NAMESPACE = "http://www.loc.gov/standards/alto/ns-v4#"
SCHEMA = "http://www.loc.gov/standards/alto/v4/alto-4-2.xsd"


def write_alto(handed: HandsOnPage, path: Path | str) -> None:
    """Write one page: a string for each word, in reading order, that refers to the tag of its hand.

    A line refers to a tag where one hand wrote all of it. Words without a transcription have empty content.

    Args:
        handed: The page and its attributions.
        path: The file to write.

    Raises:
        WriteError: The file cannot be written.
    """
    page = handed.page
    width, height = page.scan_size
    root = schema_root("alto", NAMESPACE, SCHEMA)
    _describe(root, page)
    hands = sorted({hand for hand in handed.hands if hand != NO_HAND}, key=lambda name: (len(name), name))
    if hands:
        tags = SubElement(root, "Tags")
        for hand in hands:
            SubElement(tags, "OtherTag", ID=f"hand{hand}", TYPE="hand", LABEL=printable(hand))
    size = {"WIDTH": str(width), "HEIGHT": str(height)}
    sheet = SubElement(SubElement(root, "Layout"), "Page", {"ID": "page1", "PHYSICAL_IMG_NR": "1", **size})
    sheet.set("PHYSICAL_IMG_NR", str(page.number + 1))
    space = SubElement(sheet, "PrintSpace", {"HPOS": "0", "VPOS": "0", **size})
    if page.words:
        block = SubElement(space, "TextBlock", ID="block1")
        block.attrib |= _place(page.on_scan(box_around([word.box for word in page.words])))
        for number, words in handed.lines():
            _write_line(block, number, words, page)
    write_xml(root, path)


def _describe(root: Element, page: Page) -> None:
    description = SubElement(root, "Description")
    SubElement(description, "MeasurementUnit").text = "pixel"
    source = SubElement(description, "sourceImageInformation")
    SubElement(source, "fileName").text = printable(page.source.name)
    identifier = SubElement(source, "fileIdentifier")
    identifier.text = f"SHA-256 {page.sha256}"
    processing = SubElement(description, "Processing", ID="handshift")
    software = SubElement(processing, "processingSoftware")
    SubElement(software, "softwareName").text = "handshift"
    SubElement(software, "softwareVersion").text = __version__


def _write_line(block: Element, number: int, words: list[HandedWord], page: Page) -> None:
    line = SubElement(block, "TextLine", ID=f"line{number}")
    line.attrib |= _place(page.on_scan(box_around([found.word.box for found in words])))
    hands = {found.hand for found in words if found.hand != NO_HAND}
    if len(hands) == 1:
        line.set("TAGREFS", f"hand{hands.pop()}")
    for found in words:
        text = SubElement(line, "String", ID=f"word{found.number}")
        text.attrib |= _place(page.on_scan(found.word.box))
        text.set("CONTENT", printable(found.word.text or ""))
        if found.hand != NO_HAND:
            text.set("TAGREFS", f"hand{found.hand}")


def _place(box: Box) -> dict[str, str]:
    sides = {"HPOS": box.x, "VPOS": box.y, "WIDTH": box.width, "HEIGHT": box.height}
    return {side: str(value) for side, value in sides.items()}
