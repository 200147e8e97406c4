"""Reader of PAGE-XML (2013, 2019 and neighbouring versions) as an external segmentation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from handshift.core.errors import PageError
from handshift.page.external_segmentation import Extent, ExternalSegmentation, Piece
from handshift.page.safe_xml import children, local_name, numbers, side_length

# [^{}] and not [^}]: a search from each of many unclosed braces to the end of the text would be quadratic.
_CUSTOM_INDEX = re.compile(r"readingOrder\s*\{[^{}]*index\s*:\s*([0-9]+)")


def read_page_xml(root: Element, path: Path) -> ExternalSegmentation:
    """Read words where the file has them and whole lines where it has not, in reading order.

    Args:
        root: The file's root element.
        path: The file, for error messages.

    Returns:
        The segmentation.

    Raises:
        PageError: The file has no page, or an element has no usable coordinates.
        ValueError: An index is not a number.
    """
    page = next(children(root, "Page"), None)
    if page is None:
        raise PageError(path, "PAGE-XML without a Page element; export it again")
    pieces: list[Piece] = []
    for number, line in enumerate(_lines_in_order(page)):
        words = list(children(line, "Word"))
        pieces += [_piece(part, number, part is line, path) for part in words or [line]]
    width, height = (side_length(page.get(name)) for name in ("imageWidth", "imageHeight"))
    return ExternalSegmentation(path, tuple(pieces), width, height)


def _piece(element: Element, line: int, whole_line: bool, path: Path) -> Piece:
    coords = next(children(element, "Coords"), None)
    extent = None if coords is None else Extent.around(_points(coords), thickness=1.0)
    if extent is None:
        name = element.get("id", "without id")
        raise PageError(path, f"{local_name(element)} {name} has no usable Coords; correct it or remove it")
    return Piece(extent, line, _text(element), whole_line)


def _points(coords: Element) -> list[float]:
    if "points" in coords.attrib:
        return numbers(coords.attrib["points"])
    # Before 2013 each corner was an element of its own.
    corners = (f"{point.get('x')} {point.get('y')}" for point in children(coords, "Point"))
    return numbers(" ".join(corners))


def _text(element: Element) -> str | None:
    """The preferred reading: the lowest index, or the first where none has one."""
    readings = sorted(children(element, "TextEquiv"), key=lambda reading: int(reading.get("index", "0")))
    for reading in readings:
        for unicode in children(reading, "Unicode"):
            return unicode.text or None
    return None


def _lines_in_order(page: Element) -> list[Element]:
    regions = [region for region in page.iter() if next(children(region, "TextLine"), None) is not None]
    order = next(children(page, "ReadingOrder"), None)
    if order is not None:
        place = {region: rank for rank, region in reversed(list(enumerate(_references(order))))}
        # Regions the order does not mention come after it, as they stand in the file.
        regions.sort(key=lambda region: place.get(region.get("id", ""), len(place)))
    else:
        regions = _by_own_index(regions)
    return [line for region in regions for line in _by_own_index(list(children(region, "TextLine")))]


def _references(group: Element) -> Iterator[str]:
    """Region ids of nested groups, ordered by index where the group is an ordered one."""
    members = sorted(group, key=lambda member: int(member.get("index", "0")))
    for member in members:
        if reference := member.get("regionRef"):
            yield reference
        yield from _references(member)


def _by_own_index(elements: list[Element]) -> list[Element]:
    """Sort by the ``index`` attribute or Transkribus' ``readingOrder {index:n;}``, if all carry one."""
    places = []
    for element in elements:
        custom = _CUSTOM_INDEX.search(element.get("custom", ""))
        place = element.get("index") or (custom and custom.group(1))
        if not place:
            return elements
        places.append(int(place))
    return [element for _, element in sorted(zip(places, elements, strict=True), key=lambda pair: pair[0])]
