"""Real wills with notes of clerks and judges: which words are not the testator's, and whether a page has any.

Truth is where the testator's lines are boxed: a mark whose middle lies in no such box is by somebody else.
Marks that are no writing (print, stamps, drawings) are set apart with certainty, also where they are the
testator's flourishes or pieces of a line round the text; a second AUC leaves them out. Words that are too
small or cut are left out. *Alone* is the same page with all outside of the testator's lines painted over. Of
the 53 testators every second one is for working on (26); the other 27 are measured once, with
``--part test``.

Example: python benchmarks/wills.py --data ../shared/data/wills --overlays wills/
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from result_file import Benchmark

from handshift.attribution.verdict import Verdict
from handshift.core.atomic import write_bytes
from handshift.core.errors import PageError
from handshift.metrics.roc import auroc
from handshift.page.scan import Scan, read_scans
from handshift.page.word import Box
from handshift.page.word_kind import WordKind
from handshift.page.word_overlay import draw_words
from handshift.pipeline.examiner import Examiner
from handshift.pipeline.read_pages import segment_scan

NOTES = 5
"""Words by others from which on a page counts as one with notes."""
MARGIN = 6
"""Pixels about the testator's lines that are kept where the rest is painted over."""


@dataclass(frozen=True)
class Will:
    """A page and where its testator wrote."""

    path: Path
    testator: str
    lines: tuple[Box, ...]

    def wrote(self, box: Box) -> bool:
        """Whether the middle of a mark lies in a line of the testator."""
        x, y = box.x + box.width / 2, box.y + box.height / 2
        return any(
            line.x <= x <= line.x + line.width and line.y <= y <= line.y + line.height for line in self.lines
        )

    def alone(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The page with everything outside of the testator's lines painted in the colour of its paper."""
        kept = np.zeros(image.shape[:2], bool)
        for x, y, width, height in self.lines:
            kept[max(0, y - MARGIN) : y + height + MARGIN, max(0, x - MARGIN) : x + width + MARGIN] = True
        paper = cv2.medianBlur(cv2.resize(image, None, fx=0.125, fy=0.125, interpolation=cv2.INTER_AREA), 21)
        return np.where(kept[..., None], image, cv2.resize(paper, image.shape[1::-1])).astype(np.uint8)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data/wills"))
    options.add_argument("--part", choices=("work", "test"), default="work")
    options.add_argument("--pages", type=int, default=0, help="at most so many pages; all without it")
    options.add_argument("--overlays", type=Path, help="folder for pictures of what was found")
    given = benchmark.begin()
    wills = list(read_wills(given.data, given.part))[: given.pages or None]
    benchmark.write({"part": given.part, **_measured(wills, given.overlays)})


def read_wills(data: Path, part: str) -> Iterator[Will]:
    """The pages of one half of the testators: every second one in the order of their names."""
    lines: dict[str, list[Box]] = {}
    with (data / "lines.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            lines.setdefault(row["path"], []).append(Box(*(int(row[side]) for side in "xywh")))
    with (data / "manifest.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    testators = sorted({row["writer"] for row in rows})
    chosen = set(testators[1::2] if part == "work" else testators[::2])
    for row in rows:
        if row["writer"] in chosen:
            yield Will(data / row["path"], row["writer"], tuple(lines.get(row["path"], ())))


def _measured(wills: Sequence[Will], overlays: Path | None) -> dict[str, Any]:
    examiner = Examiner(threads=1)
    pages: dict[str, dict[str, Any]] = {}
    for number, will in enumerate(wills):
        scan = next(read_scans(will.path))
        pages[will.path.name] = _page(examiner, will, scan, overlays)
        print(f"{number + 1} of {len(wills)}: {will.path.name} {pages[will.path.name]}", file=sys.stderr)
    within, written = (
        [page[name] for page in pages.values() if page.get(name) is not None]
        for name in ("auc", "auc_of_writing")
    )
    noted = [page["log10_lr"] for page in pages.values() if page.get("others", 0) >= NOTES]
    alone = [page["alone"] for page in pages.values() if page.get("alone") is not None]
    known = [value for value in noted if value is not None]
    apart = auroc([True] * len(known) + [False] * len(alone), [*known, *alone]) if known and alone else None
    return {
        "testators": len({will.testator for will in wills}),
        "pages": pages,
        "words_auc_mean": round(float(np.mean(within)), 4) if within else None,
        "written_words_auc_mean": round(float(np.mean(written)), 4) if written else None,
        "pages_with_notes": len(noted),
        "notes_against_alone_auc": None if apart is None else round(float(apart), 4),
        "without_verdict": sorted(name for name, page in pages.items() if page["log10_lr"] is None),
    }


def _page(examiner: Examiner, will: Will, scan: Scan, overlays: Path | None) -> dict[str, Any]:
    found: dict[str, Any] = {"log10_lr": None, "alone": None}
    try:
        verdict = examiner.examine_page(segment_scan(scan))
        found |= _against_truth(will, verdict)
        if overlays:
            _draw(will, verdict, overlays / f"{will.path.stem}.png")
    except PageError as error:
        found["problem"] = error.problem
    try:
        bare = Scan(will.alone(scan.image), scan.source, scan.sha256)
        found["alone"] = round(_raw(examiner.examine_page(segment_scan(bare))), 3)
    except PageError as error:
        found["problem_alone"] = error.problem
    return found


def _against_truth(will: Will, verdict: Verdict) -> dict[str, Any]:
    """AUC of the words' posterior of being foreign against the truth of the boxes."""
    page, compared = verdict.page, set(verdict.compared)
    score, foreign, written = [], [], []
    for at, (word, finding) in enumerate(zip(page.words, verdict.words, strict=True)):
        if word.kind is WordKind.WRITING and at not in compared:
            continue
        score.append(finding.posterior if word.kind is WordKind.WRITING else 1.0)
        foreign.append(not will.wrote(page.on_scan(word.box)))
        written.append(word.kind is WordKind.WRITING)
    truth = [of for of, is_written in zip(foreign, written, strict=True) if is_written]
    posterior = [of for of, is_written in zip(score, written, strict=True) if is_written]
    codes = [reason.code for reason in verdict.scope.reasons]
    return {
        "words": len(foreign),
        "others": sum(foreign),
        "auc": _auc(foreign, score),
        "auc_of_writing": _auc(truth, posterior),
        "log10_lr": round(_raw(verdict), 3),
        "scope": codes,
    }


def _auc(foreign: Sequence[bool], score: Sequence[float]) -> float | None:
    """AUC, None where all marks are of one kind."""
    return round(float(auroc(foreign, score)), 4) if 0 < sum(foreign) < len(foreign) else None


def _raw(verdict: Verdict) -> float:
    return verdict.log10_lr if verdict.raw_log10_lr is None else verdict.raw_log10_lr


def _draw(will: Will, verdict: Verdict, path: Path) -> None:
    """The page with its hands and kinds, and the testator's lines outlined in green."""
    page = verdict.page
    boxes, kinds = [word.box for word in page.words], [word.kind for word in page.words]
    hands = [finding.hand for finding in verdict.words]
    picture = draw_words(page.image, boxes, hands, kinds=kinds).copy()
    if page.view.is_whole_scan:
        for x, y, width, height in will.lines:
            cv2.rectangle(picture, (x, y), (x + width, y + height), (0, 150, 0), 1)
    write_bytes(path, cv2.imencode(".png", picture[:, :, ::-1])[1].tobytes())


if __name__ == "__main__":
    main()
