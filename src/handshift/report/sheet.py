"""A report as headings, sentences, tables and pictures, set as one HTML file or as PDF."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import INSIDE, Scope
from handshift.calibration.verbal_scale import Language
from handshift.report.equal_figures import EqualFigures
from handshift.report.equal_words import EqualWords
from handshift.report.notices import notice
from handshift.report.page_report import render
from handshift.report.pdf import typeset
from handshift.report.run_header import Run
from handshift.report.write_image import write_image


@dataclass(frozen=True, slots=True)
class Picture:
    """Pixels with a caption."""

    pixels: NDArray[np.uint8] = field(repr=False)
    """RGB."""
    caption: str
    width: float = 1.0
    """Share of the width of the text."""


@dataclass(frozen=True, slots=True)
class Section:
    """One part of a report; what is empty is left out."""

    heading: str
    note: str = ""
    sentences: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str | Picture, ...], ...] = ()
    pictures: tuple[Picture, ...] = ()
    equal: EqualWords | None = None
    """Words and letters laid over each other."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A report of any finding that is neither one page's nor a comparison of two sides."""

    kicker: str
    title: str
    headline: str
    sentences: tuple[str, ...]
    warnings: tuple[str, ...]
    sections: tuple[Section, ...]
    limits: tuple[str, ...]
    files: tuple[tuple[str, str], ...] = ()
    """(path, SHA-256) of everything that was read."""
    scope: Scope = INSIDE
    """Whether what was found lies inside what the model was validated on."""
    scope_of_pages: tuple[str, ...] = ()
    """The same page by page, where there are several; in the language of the report."""

    def scope_lines(self, language: Language) -> list[str]:
        """What a reader must know of the scope before any figure; empty where there is nothing to say."""
        said = self.scope.headline(language)
        return list(self.scope_of_pages) or ([said] if said else [])


def sheet_html(sheet: Sheet, run: Run) -> str:
    """Render a report as a self-contained file."""
    return render(
        "sheet.html",
        run,
        sheet=sheet,
        found_scope=sheet.scope,
        scope=sheet.scope_lines(run.language),
    )


def sheet_pdf(sheet: Sheet, run: Run) -> bytes:
    """Typeset a report as PDF."""
    pictures: list[Picture] = []
    equal = EqualFigures()

    def number(picture: Picture) -> dict[str, object]:
        pictures.append(picture)
        return {"file": f"{len(pictures)}.png", "caption": picture.caption, "width": picture.width}

    def cell(value: str | Picture) -> object:
        return number(value) if isinstance(value, Picture) else value

    data = {
        "title": f"{sheet.title} · {sheet.kicker}",
        "name": sheet.title,
        "kicker": sheet.kicker,
        "headline": sheet.headline,
        "sentences": sheet.sentences,
        "scope": sheet.scope_lines(run.language),
        "outside": not sheet.scope.inside,
        "warnings": [notice(warning, run.language) for warning in sheet.warnings],
        "limits": sheet.limits,
        "files": sheet.files,
        "sections": [
            {
                "heading": section.heading,
                "note": section.note,
                "sentences": section.sentences,
                "header": section.header,
                "rows": [[cell(value) for value in row] for row in section.rows],
                "pictures": [number(picture) for picture in section.pictures],
                "equal": equal.add(section.equal),
            }
            for section in sheet.sections
        ],
    }

    def draw(folder: Path) -> None:
        for at, picture in enumerate(pictures, 1):
            write_image(folder / f"{at}.png", picture.pixels)
        equal.draw(folder)

    return typeset("sheet.typ", data, run, draw)
