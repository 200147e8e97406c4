"""A page's findings in every format in which they leave the workbench."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np

from handshift.attribution.verdict import Verdict
from handshift.calibration.verbal_scale import Language, shipped_scale
from handshift.core.errors import HandshiftError
from handshift.report.findings_record import run_json
from handshift.report.findings_schema import PageRecord
from handshift.report.run_header import Run
from handshift.web.tables import Correction, ExhibitPage


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that leaves the workbench."""

    content: bytes
    media_type: str
    suffix: str


def export_page(page: ExhibitPage, pixels: Path, form: str, language: Language) -> Exported:
    """Write one page's findings.

    Args:
        page: The page; its corrected record is exported where there is one, and the export says so.
        pixels: The page's PNG in the file store.
        form: html, pdf, json, csv, page-xml, tei or annotations.
        language: Of HTML and PDF.

    Returns:
        The file.

    Raises:
        HandshiftError: An unknown format, or a page without findings.
    """
    if form not in FORMATS:
        raise HandshiftError(f"no format {form!r}: choose {', '.join(FORMATS)}")
    if page.computed is None:
        raise HandshiftError(f"the page has no findings: {page.error or 'it is not examined yet'}")
    return FORMATS[form](page, pixels, language)


def words_csv(page: ExhibitPage) -> str:
    """One row a word."""
    record = shown_record(page)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(
        ["word", "line", "x", "y", "width", "height", "kind", "hand", "posterior", "certainty", "by", "text"]
    )
    for number, word in enumerate(record["words"], 1):
        text = word.get("text", "")
        safe = (
            f"'{text}" if text[:1] in tuple("=+-@\t\r") else text
        )  # a spreadsheet must not take it for a formula
        by = word.get("by", "computed")
        figures = [f"{word['posterior']:.4f}", f"{word['certainty']:.4f}"]
        table.writerow(
            [
                number,
                word["line"] + 1,
                *word["box"],
                word.get("kind", "writing"),
                word["hand"],
                *figures,
                by,
                safe,
            ]
        )
    return out.getvalue()


def shown_record(page: ExhibitPage) -> dict[str, Any]:
    """The record that is shown: corrected where a person changed something, else as computed."""
    return page.corrected or page.computed or {}


def summary_of(page: ExhibitPage) -> dict[str, Any]:
    """What lists show of a page's findings."""
    record = shown_record(page)
    lr, scale = record.get("log10_lr"), shipped_scale()
    return {
        "corrected": page.corrected is not None,
        "log10_lr": lr,
        "support": None if lr is None else {one.value: scale.support(lr, one) for one in Language},
        "hands": record.get("hands"),
        "words": sum(word.get("kind", "writing") == "writing" for word in record.get("words", ())),
        "warnings": record.get("warnings", []),
        "outside": bool(record.get("scope")) and not record["scope"]["inside"],
    }


def correction_record(correction: Correction) -> dict[str, Any]:
    """A correction as plain data."""
    return {
        "id": correction.id,
        "examiner": correction.examiner,
        "change": correction.change,
        "made": correction.made.isoformat(),
        "undone": correction.undone.isoformat() if correction.undone else None,
    }


def _verdict(page: ExhibitPage, pixels: Path) -> Verdict:
    from handshift.page.scan import Scan
    from handshift.report.load_findings import verdict_from_record

    image = cv2.imread(str(pixels), cv2.IMREAD_COLOR)
    if image is None:
        raise HandshiftError("the page's stored pixels cannot be read")
    scan = Scan(
        np.ascontiguousarray(image[..., ::-1]), Path(page.exhibit.name), page.exhibit.sha256, page.number
    )
    record = cast("PageRecord", shown_record(page))
    verdict = verdict_from_record(record, _model(page), scan)
    if page.corrected is None or page.computed is None:
        return verdict
    return replace(verdict, warnings=(*verdict.warnings, _corrected_notice(page)))


def _corrected_notice(page: ExhibitPage) -> str:
    standing = [one for one in page.corrections if one.undone is None]
    names = ", ".join(dict.fromkeys(one.examiner or "unnamed" for one in standing))
    computed = (page.computed or {}).get("log10_lr", 0.0)
    return (
        f"corrected by hand ({len(standing)} corrections by {names}); as computed without them, "
        f"log10 LR {computed:+.2f}"
    )


def _run(page: ExhibitPage, language: Language) -> Run:
    run = Run.from_record(page.run or {}, language, shipped_scale())
    case = page.exhibit.case
    about = {"case": case.name, "exhibit": page.exhibit.number, "examiner": case.examiner}
    return replace(run, settings=run.settings | {name: value for name, value in about.items() if value})


def _model(page: ExhibitPage) -> str:
    return str((page.run or {}).get("settings", {}).get("model", ""))


def _html(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    from handshift.report.page_report import page_html

    return Exported(page_html(_verdict(page, pixels), _run(page, language)).encode(), "text/html", ".html")


def _pdf(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    from handshift.report.pdf import page_pdf, require_typst

    require_typst()
    return Exported(page_pdf(_verdict(page, pixels), _run(page, language)), "application/pdf", ".pdf")


def _json(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    corrections = [correction_record(correction) for correction in page.corrections]
    content = json.loads(run_json(_model(page), [cast("PageRecord", shown_record(page))], page.run))
    content["workbench"] = {"corrections": corrections, "computed": page.computed if page.corrected else None}
    text = json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    return Exported(text.encode(), "application/json", ".json")


def _csv(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    return Exported(words_csv(page).encode("utf-8-sig"), "text/csv; charset=utf-8", ".csv")


def _page_xml(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    from handshift.page.page_xml_writer import write_page_xml

    handed = _verdict(page, pixels).handed
    return Exported(_written(lambda path: write_page_xml(handed, path)), "application/xml", ".xml")


def _tei(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    from handshift.page.tei_writer import write_tei

    handed = _verdict(page, pixels).handed
    return Exported(_written(lambda path: write_tei([handed], path)), "application/tei+xml", ".tei.xml")


def _annotations(page: ExhibitPage, pixels: Path, language: Language) -> Exported:
    from handshift.page.annotations import annotation_page

    canvas = f"urn:sha256:{page.exhibit.sha256}:{page.number + 1}"
    content = annotation_page(_verdict(page, pixels).handed, canvas, f"{canvas}:hands")
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    return Exported(text.encode(), "application/ld+json", ".annotations.json")


def _written(write: Callable[[Path], None]) -> bytes:
    """What a writer of files would write."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.xml"
        write(path)
        return path.read_bytes()


FORMATS: dict[str, Callable[[ExhibitPage, Path, Language], Exported]] = {
    "html": _html,
    "pdf": _pdf,
    "json": _json,
    "csv": _csv,
    "page-xml": _page_xml,
    "tei": _tei,
    "annotations": _annotations,
}
