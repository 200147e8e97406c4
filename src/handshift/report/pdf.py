"""One page's report as PDF, set by typst."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verdict import Verdict
from handshift.calibration.verbal_scale import Language
from handshift.core.errors import HandshiftError
from handshift.page.word_overlay import draw_words
from handshift.report.overlay import Mark, fitted
from handshift.report.page_report import flat, reach, reference_svg, statement, texts
from handshift.report.page_view import PageView, page_view
from handshift.report.run_header import Run

TEMPLATE = Path(__file__).with_name("templates") / "page.typ"
KOREAN = ("NanumGothic", "Noto Sans CJK KR", "Noto Sans KR", "Malgun Gothic", "Apple SD Gothic Neo")
"""Fonts that have Hangul; the first comes with the `report` extra, the others with systems."""
_MARGIN = 4


def page_pdf(verdict: Verdict, run: Run) -> bytes:
    """Typeset one verdict as PDF."""
    typst = require_typst()
    fonts = _fonts(run.language)
    with TemporaryDirectory(prefix="handshift-") as name:
        folder = Path(name)
        view = page_view(verdict)
        (folder / "page.typ").write_bytes(TEMPLATE.read_bytes())
        _draw(folder, verdict, view, run)
        data = _data(verdict, view, run)
        (folder / "data.json").write_text(json.dumps(data, ensure_ascii=False, default=str), "utf-8")
        try:
            return bytes(typst.compile(folder / "page.typ", root=folder, font_paths=fonts))
        except RuntimeError as error:
            raise HandshiftError(f"{view.path}: typst could not set the report ({error})") from error


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
    shaded = draw_words(image, boxes, labels, [mark.posterior for mark in view.overlay.marks])
    _write(folder / "page.jpg", fitted(shaded))
    for mark in _cropped(view):
        box = mark.box
        top, left = max(box.y - _MARGIN, 0), max(box.x - _MARGIN, 0)
        crop = image[top : box.y + box.height + _MARGIN, left : box.x + box.width + _MARGIN]
        _write(folder / f"word{mark.number}.png", crop)
    (folder / "strip.svg").write_text(view.strip, "utf-8")
    if view.reference_plot:
        (folder / "reference.svg").write_text(reference_svg(verdict, view, run), "utf-8")
    if view.matrix:
        # Enlarged here, because typst would smooth the cells.
        enlarged = cv2.resize(view.matrix.pixels, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        _write(folder / "matrix.png", np.asarray(enlarged, np.uint8))


def _cropped(view: PageView) -> Iterator[Mark]:
    yield from view.suspects
    for row in view.together.rows if view.together else ():
        for column in row.columns:
            yield from column.marks


def _write(path: Path, rgb: NDArray[np.uint8]) -> None:
    done, encoded = cv2.imencode(path.suffix, rgb[:, :, ::-1])
    if not done:
        raise ValueError(f"a picture of {rgb.shape} cannot be encoded as {path.suffix}")
    path.write_bytes(encoded.tobytes())


def _data(verdict: Verdict, view: PageView, run: Run) -> dict[str, Any]:
    """The values of the template, without its pictures."""
    t = texts(run.language)
    page = verdict.page
    return {
        "t": t,
        "language": run.language.value,
        "name": view.name,
        "path": view.path,
        "page": page.number + 1,
        "sha256": page.sha256,
        "size": [int(side) for side in page.image.shape[1::-1]],
        "headline": run.scale.support(verdict.log10_lr, run.language).capitalize(),
        "log10_lr": verdict.log10_lr,
        "reach": reach(verdict, run),
        "statement": statement(verdict.log10_lr, verdict.bounds, run),
        "gauge": view.gauge,
        "gauge_interval": view.gauge_interval,
        "number": verdict.number,
        "words": len(verdict.words),
        "warnings": verdict.warnings,
        "propositions": asdict(verdict.propositions.in_language(run.language)),
        "hands": [asdict(hand) for hand in view.hands],
        "suspects": [asdict(mark) for mark in view.suspects],
        "unlisted": view.unlisted,
        "together": asdict(view.together) if view.together else None,
        "reference_plot": _counts(view),
        "matrix": _matrix(view),
        "scale": {"name": run.scale.name, "source": run.scale.source},
        "score": verdict.score,
        "started": run.started.strftime("%Y-%m-%d %H:%M %Z"),
        "settings": run.settings,
        "versions": run.versions,
        "card": {name: value for name, value in asdict(run.card).items() if value and name != "figures"},
        "figures": flat(run.card.figures),
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
