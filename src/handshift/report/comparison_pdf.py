"""The report of a verification as PDF, set by typst."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verification import Verification
from handshift.calibration.verbal_scale import WRITERS
from handshift.report.comparison_report import (
    known_samples,
    pair_headline,
    pair_propositions,
    pair_reach,
    pair_statement,
    typicality,
)
from handshift.report.comparison_view import ComparisonView, InfluenceMark, SideView, comparison_view
from handshift.report.cut_out import cut_out
from handshift.report.equal_figures import EqualFigures
from handshift.report.equal_words import equal_words
from handshift.report.notices import notice
from handshift.report.overlay import fitted
from handshift.report.page_report import scope_lines, texts
from handshift.report.pdf import typeset
from handshift.report.run_header import Run
from handshift.report.write_image import write_image


def comparison_pdf(verification: Verification, run: Run) -> bytes:
    """Typeset a verification as PDF."""
    view = comparison_view(verification)
    equal = EqualFigures()
    data = _data(verification, view, run) | {"equal": equal.add(equal_words(verification))}

    def draw(folder: Path) -> None:
        _draw(folder, verification, view)
        equal.draw(folder)

    return typeset("comparison.typ", data, run, draw)


def _data(verification: Verification, view: ComparisonView, run: Run) -> dict[str, Any]:
    found = verification.comparison
    support = [run.scale.support(one.log10_lr, run.language, WRITERS) for one in found.by_hand]
    return {
        "title": f"{view.sides[0].name}, {view.sides[1].name} · {texts(run.language)['pair_title']}",
        "headline": pair_headline(found, run),
        "scope": scope_lines(found, run.language),
        "outside": not found.scope.inside,
        "withheld": found.scope.withheld,
        "log10_lr": found.log10_lr,
        "score": found.score,
        "reach": pair_reach(found, run),
        "statement": pair_statement(found, run),
        "gauge": view.gauge,
        "gauge_interval": view.gauge_interval,
        "warnings": [notice(warning, run.language) for warning in found.warnings],
        "known": known_samples(found, run),
        "context": typicality(found, run),
        "propositions": asdict(pair_propositions(found.propositions, run)),
        "by_hand": [
            asdict(one) | {"support": text} for one, text in zip(found.by_hand, support, strict=True)
        ],
        "scale_of_words": view.scale,
        "sides": [_side(side) for side in view.sides],
    }


def _side(side: SideView) -> dict[str, Any]:
    return {
        "name": side.name,
        "words": side.words,
        "hands": side.hands,
        "files": side.files,
        "pages": [page.scan for page in side.pages],
        "unshown": side.unshown,
        "towards_one": [asdict(mark) for mark in side.towards_one],
        "towards_two": [asdict(mark) for mark in side.towards_two],
    }


def _draw(folder: Path, verification: Verification, view: ComparisonView) -> None:
    """Write the pages with their words shaded, and the most telling words."""
    for side, compared in zip(view.sides, verification.sides, strict=True):
        images = {
            shown.scan: page.page.image for shown, page in zip(side.pages, compared.pages, strict=False)
        }
        for shown in side.pages:
            shaded = images[shown.scan].copy()
            for mark in shown.marks:
                _shade(shaded, mark)
            write_image(folder / f"page-{shown.scan}.jpg", fitted(shaded))
        for mark in (*side.towards_one, *side.towards_two):
            crop = cut_out(images[mark.scan], mark.box)
            write_image(folder / f"word-{mark.scan}-{mark.number}.png", crop)


def _shade(image: NDArray[np.uint8], mark: InfluenceMark) -> None:
    box = mark.box
    area = image[box.y : box.y + box.height, box.x : box.x + box.width]
    colour = np.array([int(mark.colour[at : at + 2], 16) for at in (1, 3, 5)], float)
    area[:] = np.rint(area * (1 - mark.opacity) + colour * mark.opacity).astype(np.uint8)
