"""Findings that were written as JSON become verdicts again, for a report in another language or form."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from handshift.attribution.matching_words import MatchingWords
from handshift.attribution.verdict import Verdict, WordFinding
from handshift.calibration.page_calibration import Reference
from handshift.calibration.propositions import Propositions
from handshift.calibration.scope import Scope
from handshift.calibration.verbal_scale import Language, Scale
from handshift.core.errors import HandshiftError, PageError
from handshift.core.loaders import LoadError, read_json_object
from handshift.core.records import checked
from handshift.page.decode_worker import IsolatedFile
from handshift.page.scan import Scan
from handshift.page.view import View
from handshift.page.word import Box, Page, Word
from handshift.page.word_kind import WordKind
from handshift.report.findings_record import unpacked
from handshift.report.findings_schema import SCHEMA, PageRecord, RunRecord
from handshift.report.run_header import Run


def load_findings(path: Path) -> RunRecord:
    """Read what `examine --json` wrote, in this version or an earlier one.

    Raises:
        LoadError: The file is missing, damaged, of a later version, or a field is not what it should be.
    """
    what = "findings of `handshift examine --json`"
    content = read_json_object(path, what)
    written = content.get("schema", 1)
    if isinstance(written, int) and written > SCHEMA:
        raise LoadError(path, f"was written by a later handshift (schema {written}); install that one")
    return checked(content if written == SCHEMA else _from_schema_1(content), RunRecord, path, what)


def _from_schema_1(content: dict[str, Any]) -> dict[str, Any]:
    """Findings of before `schema` was written: fields that were added later get the value they had."""
    pages = content.get("pages")
    if not isinstance(pages, list) or not all(isinstance(page, dict) for page in pages):
        return content | {"schema": SCHEMA}
    upgraded = [_page_from_schema_1(page) for page in pages]
    return {"complete": True, "run": {}, **content, "schema": SCHEMA, "pages": upgraded}


def _page_from_schema_1(page: dict[str, Any]) -> dict[str, Any]:
    later = {
        "status": "failed" if page.get("error") else "examined",
        "scope": Scope().record() | {"log10_lr_raw": page.get("log10_lr")},
        "view": None,
    }
    words = page.get("words")
    if isinstance(words, list) and all(isinstance(word, dict) for word in words):
        page = page | {"words": [{"kind": WordKind.WRITING.value, **word} for word in words]}
    return later | page


def run_of(findings: RunRecord, language: Language, scale: Scale) -> Run:
    """The run that made the findings, for a report in this language."""
    return Run.from_record(findings.get("run", {}), language, scale)


def verdict_of(record: PageRecord, model: str, beside: Path) -> Verdict:
    """One page's verdict; its scan is read again, and must be the very file that was examined."""
    scan = _scan(record, beside)
    try:
        return verdict_from_record(record, model, scan)
    except (KeyError, TypeError, ValueError) as error:
        raise HandshiftError(
            f"{record['path']}: its findings are incomplete ({error!r}); examine the page again"
        ) from error


def _scan(record: PageRecord, beside: Path) -> Scan:
    """The scan at its path, or by its name beside the findings, turned upright as it was examined."""
    for path in (Path(record["path"]), beside / record["path"], beside / Path(record["path"]).name):
        if path.is_file():
            with IsolatedFile(path) as file:
                if file.sha256 != record["sha256"]:
                    raise PageError(path, "is not the file that was examined: its SHA-256 has changed")
                scan = file.scan(record["page"] - 1)
                return replace(scan, image=View.from_record(record.get("view")).apply(scan.image))
    raise PageError(
        Path(record["path"]), "the scan is missing; a report shows it, so put it beside the findings"
    )


def verdict_from_record(record: PageRecord, model: str, scan: Scan) -> Verdict:
    """A page's verdict from its record and its scan, which was read and turned upright already.

    Raises:
        KeyError, TypeError, ValueError: The record is incomplete.
    """
    found: Any = record  # with an error there are no figures, but then nobody asks for a verdict
    ink = np.zeros((1, 1), np.uint8)  # only its picture is shown again, nothing is compared anew
    words = tuple(
        Word(
            Box(*word["box"]), word["line"], ink, word.get("text"), kind=WordKind(word.get("kind", "writing"))
        )
        for word in found["words"]
    )
    scope = found.get("scope")
    return Verdict(
        page=Page(
            scan.image,
            words,
            Path(record["path"]),
            scan.sha256,
            scan.number,
            view=View.from_record(found.get("view")),
        ),
        score=found["score"],
        log10_lr=found["log10_lr"],
        bounds=tuple(found["log10_lr_bounds"]),
        interval=tuple(found["log10_lr_interval"]),
        number=tuple(found["number_of_hands"]),
        words=tuple(
            WordFinding(word["hand"], word["posterior"], word["certainty"]) for word in found["words"]
        ),
        propositions=Propositions.from_record(found["propositions"]),
        model=model,
        similarity=unpacked(found["similarity_percent"], len(found["compared"])),
        compared=tuple(found["compared"]),
        alike=tuple(MatchingWords(tuple(group["words"]), group["text"]) for group in found["alike"]),
        reference=Reference(*(tuple(found["reference"][name]) for name in ("one_hand", "several_hands"))),
        warnings=tuple(found["warnings"]),
        scope=Scope.from_record(scope),
        raw_log10_lr=scope["log10_lr_raw"] if scope else None,
    )
