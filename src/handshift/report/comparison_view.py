"""Everything that the report of a verification shows, in HTML as in PDF."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from handshift.attribution.verification import ComparedPage, ComparedSide, Verification
from handshift.page.archive.origin import known_as
from handshift.page.word import Box
from handshift.report.data_uri import data_uri
from handshift.report.findings_record import readable
from handshift.report.overlay import JPEG_QUALITY, fitted

ONE_WRITER, TWO_WRITERS = "#0072b2", "#d55e00"
"""Colours of words that support one writer and two; colour-blind safe."""
MOST_PAGES = 6
"""Pages of a side that are shown; the others are listed."""
MOST_TELLING = 8
"""Words shown for each side and direction."""
SHOWN_HEIGHT = 34.0
"""Of a word of typical height, in CSS pixels."""
DEEPEST_SHADE = 0.55


@dataclass(frozen=True, slots=True)
class InfluenceMark:
    """One word as it is drawn and listed."""

    scan: str
    """Name of the page's image within the report."""
    number: int
    """Place on the page in reading order, from 1."""
    box: Box
    influence: float
    colour: str
    opacity: float


@dataclass(frozen=True, slots=True)
class PageImage:
    """A page of a side with its words marked, in pixels of the scan."""

    scan: str
    name: str
    sha256: str
    picture: str
    width: int
    height: int
    marks: tuple[InfluenceMark, ...]


@dataclass(frozen=True, slots=True)
class SideView:
    """One side."""

    name: str
    pages: tuple[PageImage, ...]
    unshown: int
    """Pages beyond those shown."""
    files: tuple[tuple[str, str], ...]
    """(path and page, SHA-256) of all pages."""
    words: int
    hands: dict[str, int]
    towards_one: tuple[InfluenceMark, ...]
    towards_two: tuple[InfluenceMark, ...]
    """The words that move the score most in either direction."""


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """A verification prepared for display."""

    sides: tuple[SideView, SideView]
    scale: float
    """CSS pixels for a pixel of the scan, the same for all words."""
    gauge: float
    """Position of the log10 LR on the bar between its bounds, in percent; 50 is a ratio of 1."""
    gauge_interval: tuple[float, float]


def comparison_view(verification: Verification) -> ComparisonView:
    """Prepare a verification for display."""
    found = verification.comparison
    strongest = _strongest(verification)
    names = side_names(verification)
    one, two = (
        _side(side, names[at], "ab"[at], found.words[at], strongest)
        for at, side in enumerate(verification.sides)
    )
    heights = [mark.box.height for side in (one, two) for mark in (*side.towards_one, *side.towards_two)]
    reach = max(abs(bound) for bound in found.bounds) or 1.0
    low, high = found.interval or (found.log10_lr, found.log10_lr)
    return ComparisonView(
        (one, two),
        round(SHOWN_HEIGHT / max(float(np.median(heights)) if heights else 1.0, 1.0), 4),
        _place(found.log10_lr, reach),
        (_place(low, reach), _place(high, reach)),
    )


def side_names(verification: Verification) -> tuple[str, str]:
    """Short names of both sides: of a file or folder its last part, or as many as tell the two apart."""
    paths = [Path(side.name) for side in verification.sides]
    most = max(len(path.parts) for path in paths)
    for count in range(1, most + 1):
        one, two = ("/".join(path.parts[-count:]) for path in paths)
        if one != two:
            break
    return readable(one), readable(two)


def _side(side: ComparedSide, name: str, letter: str, words: int, strongest: float) -> SideView:
    images = tuple(
        _image(page, f"{letter}{number}", strongest) for number, page in enumerate(side.pages[:MOST_PAGES], 1)
    )
    marks = [mark for image in images for mark in image.marks]
    ranked = sorted(marks, key=lambda mark: -mark.influence)
    return SideView(
        name,
        images,
        max(0, len(side.pages) - MOST_PAGES),
        tuple((_page_name(page), page.page.sha256) for page in side.pages),
        words,
        side.hands,
        tuple(mark for mark in ranked[:MOST_TELLING] if mark.influence > 0),
        tuple(mark for mark in ranked[::-1][:MOST_TELLING] if mark.influence < 0),
    )


def _image(compared: ComparedPage, scan: str, strongest: float) -> PageImage:
    page = compared.page
    height, width = page.image.shape[:2]
    picture = data_uri(fitted(page.image), "jpeg", (cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY))
    marks = tuple(
        InfluenceMark(
            scan,
            number,
            word.box,
            float(influence),
            ONE_WRITER if influence > 0 else TWO_WRITERS,
            round(DEEPEST_SHADE * min(abs(float(influence)) / strongest, 1.0), 3),
        )
        for number, (word, influence) in enumerate(zip(page.words, compared.influence, strict=True), 1)
        if np.isfinite(influence)
    )
    return PageImage(scan, _page_name(compared), page.sha256, picture, width, height, marks)


def _page_name(compared: ComparedPage) -> str:
    page = compared.page
    return readable(known_as(page.source)) + (f", p. {page.number + 1}" if page.number else "")


def _strongest(verification: Verification) -> float:
    """The influence that is shaded deepest: the 98th percentile, lest one odd word pale the rest."""
    sizes = [np.abs(page.influence) for side in verification.sides for page in side.pages]
    finite = np.concatenate([size[np.isfinite(size)] for size in sizes])
    return max(float(np.percentile(finite, 98)), 1e-9) if finite.size else 1.0


def _place(log10_lr: float, reach: float) -> float:
    return round(50 + 50 * min(max(log10_lr / reach, -1.0), 1.0), 2)
