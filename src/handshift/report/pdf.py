"""One page's report as PDF, set by typst."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np

from handshift.attribution.verdict import Verdict
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import draw_words
from handshift.report.about_run import AboutRun
from handshift.report.cut_out import cut_out
from handshift.report.equal_figures import EqualFigures
from handshift.report.notices import notice
from handshift.report.overlay import Mark, fitted
from handshift.report.page_report import (
    headline,
    reach,
    reference_svg,
    scope_lines,
    statement,
    texts,
    view_notes,
)
from handshift.report.page_view import PageView, page_view
from handshift.report.run_header import Run
from handshift.report.write_image import write_image

TEMPLATES = Path(__file__).with_name("templates")
KOREAN = ("NanumGothic", "Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic", "Apple SD Gothic Neo")
"""Fonts that have Hangul; the first comes with the `report` extra, the others with systems."""


def page_pdf(verdict: Verdict, run: Run) -> bytes:
    """Typeset one verdict as PDF."""
    view = page_view(verdict, texts(run.language)["hand"])
    equal = EqualFigures()
    data = _data(verdict, view, run) | {"equal": [equal.add(one) for one in view.equal]}

    def draw(folder: Path) -> None:
        _draw(folder, verdict, view, run)
        equal.draw(folder)

    return typeset("page.typ", data, run, draw)


def typeset(template: str, data: dict[str, Any], run: Run, draw: Callable[[Path], None]) -> bytes:
    """Set a report by typst.

    Args:
        template: Its name in the folder of templates.
        data: What the template shows, besides what all reports share.
        run: The run's language, case, settings, versions and model card are added to `data`.
        draw: Writes the pictures of the template into a folder.

    Raises:
        HandshiftError: typst or a font is not installed, or the report cannot be set.
    """
    typst = require_typst()
    fonts = _fonts(run.language)
    about = AboutRun.of(run)
    shared = {
        "t": texts(run.language),
        "language": run.language.value,
        "case": run.case,
        "scale": {"name": run.scale.name, "source": about.scale_source},
        "started": run.started.strftime("%Y-%m-%d %H:%M %Z"),
        "model_id": run.card.id,
        "settings": about.settings,
        "versions": run.versions,
        "card": about.card,
        "figures": about.figures,
    }
    with TemporaryDirectory(prefix="handshift-") as name:
        folder = Path(name)
        for file in (template, "common.typ"):
            (folder / file).write_bytes((TEMPLATES / file).read_bytes())
        draw(folder)
        content = json.dumps(shared | data, ensure_ascii=False, default=str)
        (folder / "data.json").write_text(content, "utf-8")
        try:
            return bytes(typst.compile(folder / template, root=folder, font_paths=fonts))
        except RuntimeError as error:
            raise HandshiftError(f"{data['title']}: typst could not set the report ({error})") from error


def require_typst() -> Any:
    """Import the typst compiler.

    Raises:
        HandshiftError: It is not installed; names the extra that brings it.
    """
    try:
        import typst
    except ModuleNotFoundError as error:
        raise HandshiftError("a PDF needs typst: pip install 'handshift[report]'") from error
    return typst


def _fonts(language: Language) -> list[Path]:
    """Folders with fonts that typst does not bring itself: it has no Hangul."""
    package = find_spec("koreanize_matplotlib")  # only its font files are used, never its code
    folders = [
        Path(place) / "fonts" for place in (package.submodule_search_locations if package else None) or ()
    ]
    if language is Language.ko and not folders and not _families() & set(KOREAN):
        raise HandshiftError(
            "a Korean PDF needs a font with Hangul: pip install 'handshift[report]', or install "
            f"one of {', '.join(KOREAN)}"
        )
    return folders


def _families() -> set[str]:
    """The fonts of this system."""
    return {font.family for font in require_typst().Fonts().fonts()}


def _draw(folder: Path, verdict: Verdict, view: PageView, run: Run) -> None:
    """Write the pictures that the template sets."""
    image = verdict.page.image
    boxes = [mark.box for mark in view.overlay.marks]
    labels = [mark.hand for mark in view.overlay.marks]
    kinds = [WordKind(mark.kind) for mark in view.overlay.marks]
    posteriors = [mark.posterior for mark in view.overlay.marks]
    hinge = [mark.hinge for mark in view.overlay.marks]
    shaded = draw_words(image, boxes, labels, posteriors, kinds=kinds, marked=hinge)
    write_image(folder / "page.jpg", fitted(shaded))
    for mark in _cropped(view):
        write_image(folder / f"word{mark.number}.png", cut_out(image, mark.box))
    (folder / "strip.svg").write_text(view.strip, "utf-8")
    if view.reference_plot:
        (folder / "reference.svg").write_text(reference_svg(verdict, view, run), "utf-8")
    if view.matrix:
        # Enlarged here, because typst would smooth the cells.
        enlarged = cv2.resize(view.matrix.pixels, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        write_image(folder / "matrix.png", np.asarray(enlarged, np.uint8))


def _cropped(view: PageView) -> Iterator[Mark]:
    yield from view.suspects
    for row in view.together.rows if view.together else ():
        for column in row.columns:
            yield from column.marks


def _data(verdict: Verdict, view: PageView, run: Run) -> dict[str, Any]:
    """The values of the template, without its pictures."""
    t = texts(run.language)
    page = verdict.page
    return {
        "title": f"{view.name} · {t['title']}",
        "name": view.name,
        "path": view.path,
        "page": page.number + 1,
        "sha256": page.sha256,
        "size": [int(side) for side in page.image.shape[1::-1]],
        "headline": headline(verdict, run),
        "scope": scope_lines(verdict, run.language),
        "outside": not verdict.scope.inside,
        "withheld": verdict.scope.withheld,
        "notes": view_notes(page.view, run.language),
        "kinds": [asdict(kind) | {"label": t[f"kind_{kind.name}"]} for kind in view.kinds],
        "log10_lr": verdict.log10_lr,
        "reach": reach(verdict, run),
        "statement": statement(verdict.log10_lr, verdict.bounds, run),
        "gauge": view.gauge,
        "gauge_interval": view.gauge_interval,
        "number": verdict.number,
        "words": sum(bool(finding.hand) for finding in verdict.words),
        "warnings": [notice(warning, run.language) for warning in verdict.warnings],
        "propositions": asdict(verdict.propositions.in_language(run.language)),
        "hands": [asdict(hand) for hand in view.hands],
        "suspects": [asdict(mark) for mark in view.suspects],
        "unlisted": view.unlisted,
        "together": asdict(view.together) if view.together else None,
        "reference_plot": _counts(view),
        "matrix": _matrix(view),
        "score": verdict.score,
    }


def _counts(view: PageView) -> dict[str, int] | None:
    if view.reference_plot is None:
        return None
    names = ("as_high", "as_low", "one_count", "several_count")
    return {name: getattr(view.reference_plot, name) for name in names}


def _matrix(view: PageView) -> dict[str, Any] | None:
    if view.matrix is None:
        return None
    spans = [asdict(span) for span in view.matrix.spans]
    ends = {"darkest": view.matrix.darkest, "brightest": view.matrix.brightest}
    return {"size": view.matrix.size, "spans": spans, **ends}
