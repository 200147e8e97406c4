"""Verdicts as plain data: the JSON that other programs read; `findings_schema` has its fields."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from handshift.attribution.verdict import Verdict
from handshift.calibration.scope import Scope, ScopeReason
from handshift.core.errors import BlankPageError, NoWritingError, PageError
from handshift.core.version import __version__
from handshift.page.archive.origin import origin_of
from handshift.report.findings_schema import (
    SCHEMA,
    PageRecord,
    PropositionsRecord,
    RunRecord,
    ScopeRecord,
    Status,
    WordRecord,
)


def page_record(verdict: Verdict) -> PageRecord:
    """Turn a verdict into plain data."""
    require_numbers(verdict)
    page = verdict.page
    return {
        "path": readable(page.source),
        "origin": origin_of(page.source),
        "sha256": page.sha256,
        "page": page.number + 1,
        "score": float(verdict.score),
        "log10_lr": float(verdict.log10_lr),
        "log10_lr_bounds": [float(bound) for bound in verdict.bounds],
        "log10_lr_interval": [float(end) for end in verdict.interval],
        "hands": int(verdict.hands),
        "number_of_hands": [float(share) for share in verdict.number],
        "error": None,
        "status": "examined",
        "warnings": list(verdict.warnings),
        "propositions": cast("PropositionsRecord", verdict.propositions.record()),
        "words": _words(verdict),
        "compared": list(verdict.compared),
        "similarity_percent": packed(verdict.similarity),
        "alike": [{"text": readable(group.text), "words": list(group.words)} for group in verdict.alike],
        "reference": {
            "one_hand": list(verdict.reference.one_hand),
            "several_hands": list(verdict.reference.several_hands),
        },
        "scope": _scope(verdict.scope, verdict.raw_log10_lr),
        "view": page.view.record(),
    }


def require_numbers(verdict: Verdict) -> None:
    """Refuse a verdict with a figure that is not finite: neither JSON nor a reader could take it."""
    posteriors = (finding.posterior for finding in verdict.words)
    if not all(
        map(isfinite, (verdict.score, verdict.log10_lr, *verdict.bounds, *verdict.interval, *posteriors))
    ):
        where = f"page {verdict.page.number + 1}"
        raise PageError(verdict.page.source, f"{where} has a score that is not a number; please report it")


def failure_record(error: PageError) -> PageRecord:
    """Return the entry of a page that is blank or could not be examined, and why."""
    return {
        "path": readable(error.named),
        "origin": origin_of(error.path),
        "sha256": error.sha256,
        "page": error.number + 1,
        "score": None,
        "log10_lr": None,
        "log10_lr_bounds": None,
        "log10_lr_interval": None,
        "hands": None,
        "number_of_hands": None,
        "error": readable(error.problem),
        "status": status_of(error),
        "warnings": [],
        "propositions": None,
        "words": [],
        "compared": [],
        "similarity_percent": "",
        "alike": [],
        "reference": None,
        "scope": _scope(_scope_of(error)),
        "view": None,
    }


def status_of(error: PageError) -> Status:
    """Why a page has no verdict: "blank", "no-writing" or "failed"."""
    kinds: dict[type[PageError], Status] = {BlankPageError: "blank", NoWritingError: "no-writing"}
    return next((status for kind, status in kinds.items() if isinstance(error, kind)), "failed")


def _scope_of(error: PageError) -> Scope:
    if not isinstance(error, NoWritingError):
        return Scope()
    return Scope((ScopeReason("no-writing", 0.0, {"found": readable(error.problem)}),))


def _scope(scope: Scope, raw: float | None = None) -> ScopeRecord:
    return cast("ScopeRecord", scope.record() | {"log10_lr_raw": raw})


def run_json(
    model: str, pages: Iterable[PageRecord], about: dict[str, Any] | None = None, complete: bool = True
) -> str:
    """Write a run as strict JSON: see `run_json_pieces`."""
    return "".join(run_json_pieces(model, pages, about, complete))


def run_json_pieces(
    model: str, pages: Iterable[PageRecord], about: dict[str, Any] | None = None, complete: bool = True
) -> Iterator[str]:
    """A run as strict JSON, piece by piece; one line a page, so that two runs can be compared by eye.

    `about` describes the run: when, with which settings, versions and model card.
    """
    run: RunRecord = {
        "schema": SCHEMA,
        "handshift": __version__,
        "model": model,
        "run": about or {},
        "complete": complete,
        "pages": [],
    }
    yield json.dumps(run, ensure_ascii=False).removesuffix("]}") + "\n"
    for number, page in enumerate(pages):
        yield (",\n" if number else "") + json.dumps(page, ensure_ascii=False, allow_nan=False)
    yield "\n]}\n"


def readable(path: Path | str) -> str:
    """Replace the lone surrogates of odd file names, which no UTF-8 file may hold."""
    return str(path).encode("utf-8", "replace").decode("utf-8")


def packed(similarity: NDArray[np.floating]) -> str:
    """Similarities in percent, a signed byte each, as base64."""
    return b64encode(np.rint(np.clip(similarity, -1, 1) * 100).astype(np.int8).tobytes()).decode()


def unpacked(percent: str, size: int) -> NDArray[np.float32]:
    """What `packed` made of (size, size) similarities."""
    flat = np.frombuffer(b64decode(percent), np.int8).astype(np.float32) / 100
    return np.asarray(flat.reshape(size, size), np.float32)


def _words(verdict: Verdict) -> list[WordRecord]:
    records: list[WordRecord] = []
    for word, finding in zip(verdict.page.words, verdict.words, strict=True):
        record: WordRecord = {
            "box": [int(side) for side in word.box],
            "line": int(word.line),
            "hand": finding.hand,
            "posterior": float(finding.posterior),
            "certainty": float(finding.certainty),
            "kind": word.kind.value,
        }
        if word.text is not None:
            record["text"] = readable(word.text)
        records.append(record)
    return records
