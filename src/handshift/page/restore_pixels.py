"""Reads the pixels of a page again that were released once its words were embedded."""

from __future__ import annotations

from dataclasses import replace

from handshift.page.decode_worker import isolated_pages
from handshift.page.scan import Scan
from handshift.page.word import Page


def with_pixels(page: Page) -> Page:
    """The page with its picture, turned and straightened as it was when its words were found.

    Args:
        page: Of a file that is still where it was.

    Returns:
        The page; without a picture, as given, where the file is gone or has changed.
    """
    scan = next(iter(isolated_pages(page.source, page.number)), None)
    if not isinstance(scan, Scan) or scan.sha256 != page.sha256:
        return page
    image = page.view.apply(scan.image)
    return replace(page, image=image) if image.shape[:2] == page.image.shape[:2] else page
