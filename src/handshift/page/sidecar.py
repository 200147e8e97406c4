"""Finds the PAGE-XML or ALTO file that belongs to a scan."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from handshift.core.errors import PageError

if TYPE_CHECKING:
    from handshift.page.external_segmentation import ExternalSegmentation


def find_segmentation(scan: Path | str, number: int = 0) -> ExternalSegmentation | None:
    """Read the PAGE-XML or ALTO file that lies with a scan.

    Looked for in this order: ``letter.xml`` beside ``letter.png``, in ``page/`` or ``alto/`` below, and in
    those folders beside the scan's own. XML of another kind is ignored.

    Args:
        scan: The scan's file.
        number: Page within the file, from 0.

    Returns:
        The segmentation; None where there is none.

    Raises:
        PageError: A file was found but is damaged.
    """
    for candidate in segmentation_candidates(Path(scan)):
        if (given := read_if_segmentation(candidate, number)) is not None:
            return given
    return None


def segmentation_candidates(scan: Path) -> Iterator[Path]:
    """Yield the existing files that may hold the segmentation of a scan, in the order of preference."""
    for place in _places(scan):
        try:
            if place.is_file():
                yield place
        except (OSError, ValueError):  # a name that the file system does not allow
            continue


def read_segmentation(path: Path | str, number: int = 0) -> ExternalSegmentation:
    """Read a segmentation file named by the user.

    Args:
        path: PAGE-XML or ALTO.
        number: Page within the file, from 0.

    Returns:
        The segmentation.

    Raises:
        PageError: The file is of another kind, damaged, or has no such page.
    """
    given = read_if_segmentation(Path(path), number)
    if given is None:
        raise PageError(path, f"neither PAGE-XML nor ALTO with a page {number + 1}")
    return given


def _places(scan: Path) -> Iterator[Path]:
    name = f"{scan.stem}.xml"
    yield scan.parent / name
    for folder in (scan.parent, scan.parent.parent):
        yield folder / "page" / name
        yield folder / "alto" / name


def read_if_segmentation(path: Path, number: int) -> ExternalSegmentation | None:
    """Read a file if it is PAGE-XML or ALTO with such a page; None for other XML.

    Raises:
        PageError: The file is not XML, or is damaged.
    """
    # Most scans come alone; they need not wait for an XML parser.
    from handshift.page.alto_reader import read_alto
    from handshift.page.page_xml_reader import read_page_xml
    from handshift.page.safe_xml import local_name, parse_xml

    root = parse_xml(path)
    try:
        match local_name(root):
            case "PcGts" if number == 0:
                return read_page_xml(root, path)
            case "alto":
                return read_alto(root, path, number)
            case _:
                return None
    except (ValueError, RecursionError) as error:  # an index that is no number, groups without end
        raise PageError(path, f"the segmentation is damaged ({error}); export it again") from error
