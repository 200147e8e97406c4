"""Pages as people bring them: AUC, firm errors and refusals in every everyday condition.

Pages by one hand and by two, of held-out writers of CSAFE, copiste and IAM, are put into each condition and
examined from picture to verdict. *Wrong and confident* is |log10 LR| > 1 on the wrong side without a scope
warning; *refused* is a page outside of the scope whose ratio is withheld, or that has no verdict; for AUC it
counts at log10 LR 0. A condition's two-hand pages have 20 to 50 % of the lines by another writer, below;
"insertion" has a page by one writer with six to ten words by another between two lines and in the margin,
"insertion across letters" has the former written over the tops of a line's letters.
What was examined is kept in a journal, and a run that was stopped goes on.

Example: python benchmarks/wild.py --data ../shared/data --part test
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from result_file import Benchmark
from tqdm import tqdm
from wild_conditions import CONDITIONS
from wild_marks import drawing_only, print_only
from wild_pages import Image, Writers, Writing

from handshift.core.errors import HandshiftError
from handshift.metrics import auroc
from handshift.models.shipped_models import find_model
from handshift.page.scan import Scan
from handshift.pipeline.examiner import Examiner
from handshift.pipeline.read_pages import segment_scan

FIRM = 1.0
ONE_KIND = {"two pens": "one hand only", "print only": "no hand", "drawing only": "no hand"}
BRINGS_OTHER_HAND = {"insertion", "insertion across letters"}
ALL = (*CONDITIONS, "Arabic", "Korean", "print only", "drawing only")
MAY_REFUSE = {"Arabic", "Korean", "fax", "100 dpi", "4 to 13 words", "print only", "drawing only"}


@dataclass(frozen=True)
class Case:
    """One page of the benchmark."""

    condition: str
    two_hands: bool
    number: int

    @property
    def key(self) -> str:
        return f"{self.condition}/{'two' if self.two_hands else 'one'}/{self.number}"


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument("--part", default="test")
    options.add_argument("--pages", type=int, default=40, help="of either kind in each condition")
    options.add_argument("--first", type=int, default=0, help="number of the first page")
    options.add_argument("--only", action="append", help="a condition; may be repeated")
    options.add_argument("--model")
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--journal", type=Path, default=Path("runs/wild.jsonl"))
    options.add_argument("--pictures", type=Path, help="keep every page as PNG in this folder")
    given = benchmark.begin()
    writers = Writers(given.data, given.splits, given.part)
    origin = benchmark.origin.model_dump(mode="json", exclude_defaults=True)
    network = find_model(given.model).fingerprint()
    journal = Journal(given.journal, {"part": given.part, "model": network, "origin": origin})
    examiner = Examiner(given.model, given.threads)
    cases = list(_cases(given.only or ALL, given.first, given.pages))
    for case in tqdm(cases):
        if case.key not in journal.found:
            image = picture(case, writers)
            journal.add(case.key, examined(examiner, image, case.key))
            if given.pictures:
                given.pictures.mkdir(parents=True, exist_ok=True)
                name = case.key.replace("/", "-").replace(" ", "_").replace("°", "")
                cv2.imwrite(str(given.pictures / f"{name}.png"), image[..., ::-1])
    rows = {name: row(name, cases, journal.found) for name in given.only or ALL}
    total = [journal.found[case.key] | {"two": case.two_hands, "case": case.key} for case in cases]
    wrong = [one["case"] for one in total if _wrong(one, one["two"])]
    for name, figures in rows.items():
        print(f"{name:22}", figures)
    benchmark.write(
        {
            "model": examiner.model.id,
            "part": given.part,
            "pages_of_either_kind": given.pages,
            "wrong_and_confident": round(len(wrong) / len(total), 4),
            "cases": len(total),
            "conditions": rows,
            "wrong": wrong,
        }
    )


def _cases(names: tuple[str, ...] | list[str], first: int, pages: int) -> Iterator[Case]:
    # By number first: all conditions of a page share its preparation.
    for number in range(first, first + pages):
        for two_hands in (False, True):
            for name in names:
                if not (two_hands and name in ONE_KIND):
                    yield Case(name, two_hands, number)


def picture(case: Case, writers: Writers) -> Image:
    """The page as it is brought."""
    # crc32 and not hash(), which differs from process to process
    draw = np.random.default_rng(
        [writers.seed, case.number, case.two_hands, zlib.crc32(case.condition.encode())]
    )
    if case.condition == "print only":
        return print_only(draw)
    if case.condition == "drawing only":
        return drawing_only(draw)
    if case.condition == "Arabic":
        return writers.lines("khatt", case.number, case.two_hands).image
    if case.condition == "Korean":
        return writers.drawn("fonts-korean", case.number, case.two_hands).image
    page: Writing = writers.latin(case.number, case.two_hands, whole=case.condition in BRINGS_OTHER_HAND)
    return CONDITIONS[case.condition](page, draw)


def examined(examiner: Examiner, image: Image, name: str) -> dict[str, Any]:
    """What came of one page."""
    scan = Scan(np.ascontiguousarray(image), Path(name), hashlib.sha256(image.tobytes()).hexdigest())
    try:
        page = segment_scan(scan)
        verdict = examiner.examine_page(page)
    except HandshiftError as error:
        return {"error": type(error).__name__, "problem": str(error), "log10_lr": 0.0, "inside": False}
    return {
        "log10_lr": round(verdict.log10_lr, 4),
        "raw": round(verdict.raw_log10_lr or 0.0, 4),
        "inside": verdict.scope.inside,
        "withheld": verdict.scope.withheld,
        "reasons": [[reason.code, reason.weight] for reason in verdict.scope.reasons],
        "words": len(verdict.compared),
        "kinds": {
            kind: sum(word.kind == kind for word in page.words) for kind in {w.kind for w in page.words}
        },
        "turned": page.view.turned,
        "sheet": page.view.sheet is not None,
    }


def _wrong(found: dict[str, Any], two_hands: bool) -> bool:
    ratio = found["log10_lr"] if two_hands else -found["log10_lr"]
    return bool(found["inside"] and ratio < -FIRM)


def row(name: str, cases: list[Case], found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """The figures of one condition."""
    own = [case for case in cases if case.condition == name]
    results = [found[case.key] for case in own]
    truth = np.array([case.two_hands for case in own])
    refused = np.array([one.get("withheld", "error" in one) for one in results])
    outside = np.array([not one["inside"] for one in results])
    ratios = np.array([0.0 if no else one["log10_lr"] for no, one in zip(refused, results, strict=True)])
    raw = np.array([one.get("raw", 0.0) for one in results])
    wrong = np.array([_wrong(one, case.two_hands) for one, case in zip(results, own, strict=True)])
    figures: dict[str, Any] = {
        "pages": len(own),
        "wrong_and_confident": round(float(wrong.mean()), 4),
        "refused": round(float(refused.mean()), 4),
        "outside": round(float(outside.mean()), 4),
    }
    if name not in ONE_KIND:
        figures["auc"] = round(auroc(truth, ratios), 4)
        figures["auc_without_guard"] = round(auroc(truth, raw), 4)
    unguarded = np.where(truth, raw, -raw) < -FIRM
    return figures | {"wrong_without_guard": round(float(unguarded.mean()), 4)}


class Journal:
    """What was examined, one line a page; a journal of other code, writers or model is started anew."""

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        header = json.dumps(settings, sort_keys=True)
        lines = path.read_text("utf-8").splitlines() if path.is_file() else []
        if lines[:1] != [header]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(header + "\n", "utf-8")
            lines = [header]
        self._path = path
        self.found: dict[str, dict[str, Any]] = dict(map(json.loads, lines[1:]))

    def add(self, key: str, result: dict[str, Any]) -> None:
        """Append one page."""
        self.found[key] = result
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, result]) + "\n")


if __name__ == "__main__":
    main()
