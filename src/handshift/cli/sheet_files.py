"""The report of hands, of a list or of an identification as files."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import typer

from handshift.calibration.verbal_scale import Language, Scale
from handshift.cli.destination import FileNames, check_file, check_folder
from handshift.core.atomic import write_bytes, write_text
from handshift.models.shipped_models import find_model
from handshift.report.run_header import Run
from handshift.report.sheet import Sheet, sheet_html


@dataclass(frozen=True, slots=True)
class SheetFiles:
    """Where a report goes: HTML into a folder, and the same as PDF."""

    out: Path | None
    pdf: bool
    _names: FileNames = field(default_factory=FileNames)

    def check(self) -> None:
        """Refuse places that cannot be written to before any page is read."""
        if self.pdf and not self.out:
            raise typer.BadParameter("a PDF is a report; give --out too", param_hint="--pdf")
        if self.out:
            check_folder(self.out)
        if self.pdf:
            from handshift.report.pdf import require_typst

            require_typst()

    def write(self, sheet: Sheet, first: Path, number: int, kind: str, run: Run) -> Path | None:
        """Write the report, named after its first page; returns the HTML file."""
        if not self.out:
            return None
        path = self.out / self._names.name(first, number, ".html", kind)
        check_file(path)
        write_text(path, sheet_html(sheet, run), private=True)
        if self.pdf:
            from handshift.report.sheet import sheet_pdf

            write_bytes(path.with_suffix(".pdf"), sheet_pdf(sheet, run), private=True)
        return path


def report_run(
    model: str | None, settings: dict[str, str], language: Language, scale: Path | None, case: dict[str, str]
) -> Run:
    """The header of a report: model, time, settings, language, verbal scale and case."""
    shipped = find_model(model)
    return Run(
        shipped.card,
        datetime.now().astimezone(),
        {"model": shipped.card.id, **settings},
        language,
        Scale.load(scale),
        case=case,
        populations=shipped.populations(),
    )
