"""Reader of ALTO (versions 2 to 4) as an external segmentation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

from handshift.core.errors import PageError
from handshift.page.external_segmentation import Extent, ExternalSegmentation, Piece
from handshift.page.safe_xml import children, descendants, local_name, numbers, side_length

UNITS_PER_INCH = {"pixel": None, "mm10": 254.0, "inch1200": 1200.0}


def read_alto(root: Element, path: Path, number: int = 0) -> ExternalSegmentation | None:
    """Read words where the file has them and whole lines where it has not, in reading order.

    Args:
        root: The file's root element.
        path: The file, for error messages.
        number: Page within the file, from 0.

    Returns:
        The segmentation; None beyond the file's last page.

    Raises:
        PageError: The file has no page, an unknown unit, or an element without position.
    """
    pages = list(descendants(root, "Page"))
    if not pages:
        raise PageError(path, "ALTO without a Page element; export it again")
    if number >= len(pages):
        return None
    page = pages[number]
    pieces: list[Piece] = []
    for row, line in enumerate(_lines_in_order(page, root)):
        pieces += _pieces(line, row, path)
    width, height = (side_length(page.get(name)) for name in ("WIDTH", "HEIGHT"))
    return ExternalSegmentation(path, tuple(pieces), width, height, _units_per_inch(root, path))


def _units_per_inch(root: Element, path: Path) -> float | None:
    unit = next((found.text or "" for found in descendants(root, "MeasurementUnit")), "pixel").strip()
    if unit not in UNITS_PER_INCH:
        raise PageError(path, f"MeasurementUnit {unit!r} is not one of {', '.join(UNITS_PER_INCH)}")
    return UNITS_PER_INCH[unit]


def _pieces(line: Element, row: int, path: Path) -> Iterator[Piece]:
    strings = list(children(line, "String"))
    text = " ".join(string.get("CONTENT", "") for string in strings).strip()
    # eScriptorium and others write an untouched line as one String with all its words, or with none.
    if not strings or (len(strings) == 1 and (not text or " " in text)):
        yield Piece(_extent(line, path), row, text or None, whole_line=True)
        return
    for string in strings:
        yield Piece(_extent(string, path), row, string.get("CONTENT") or None, whole_line=False)


def _extent(element: Element, path: Path) -> Extent:
    sides = [numbers(element.get(name, "")) for name in ("HPOS", "VPOS", "WIDTH", "HEIGHT")]
    if all(sides):
        left, top, width, height = (side[0] for side in sides)
        return Extent(left, top, left + width, top + height)
    for polygon in descendants(element, "Polygon"):
        if extent := Extent.around(numbers(polygon.get("POINTS", ""))):
            return extent
    name = element.get("ID", "without ID")
    raise PageError(path, f"{local_name(element)} {name} has no usable HPOS, VPOS, WIDTH and HEIGHT")


def _lines_in_order(page: Element, root: Element) -> list[Element]:
    """Document order, unless ``ReadingOrder`` (4.3) or ``IDNEXT`` gives another one for lines or blocks."""
    lines = list(_lines(page, ()))
    named = [name for group in descendants(root, "ReadingOrder") for name in _references(group)]
    place = {name: rank for rank, name in reversed(list(enumerate(named or _chain(page))))}

    def rank(line: tuple[Element, tuple[str, ...]]) -> int:
        # The innermost name counts: a line may be called out of its block.
        return next((place[name] for name in reversed(line[1]) if name in place), len(place))

    return [line for line, _ in sorted(lines, key=rank)]


def _lines(element: Element, names: tuple[str, ...]) -> Iterator[tuple[Element, tuple[str, ...]]]:
    for child in element:
        inner = (*names, child.get("ID", ""))
        if local_name(child) == "TextLine":
            yield child, inner
        else:
            yield from _lines(child, inner)


def _references(group: Element) -> Iterator[str]:
    for reference in descendants(group, "ElementRef"):
        yield from reference.get("REF", "").split()


def _chain(page: Element) -> list[str]:
    """Block names in the order of their IDNEXT attributes; a cycle ends where it returns to itself."""
    following = {block.get("ID", ""): block.get("IDNEXT", "") for block in page.iter() if block.get("IDNEXT")}
    successors = set(following.values())
    order: dict[str, None] = {}  # keeps the order and is searched in constant time
    for name in [first for first in following if first not in successors]:
        while name and name not in order:
            order[name] = None
            name = following.get(name, "")
    return list(order)
