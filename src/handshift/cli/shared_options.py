"""Options that mean the same in every command that has them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.chosen_language import choose
from handshift.models.shipped_models import DEFAULT

ModelOption = Annotated[
    str | None, typer.Option(help="Id of a shipped model, or a model's folder.", show_default=DEFAULT)
]
PageXmlOption = Annotated[
    Path | None,
    typer.Option(
        "--page-xml",
        metavar="PATH",
        help="Write PAGE-XML: a file if PATH ends in .xml, else a folder with a file for each page.",
    ),
]
AltoOption = Annotated[
    Path | None,
    typer.Option(
        "--alto",
        metavar="PATH",
        help="Write ALTO with a tag for each hand: a file if PATH ends in .xml, else a folder.",
    ),
]
TeiOption = Annotated[
    Path | None,
    typer.Option(
        "--tei",
        metavar="PATH",
        help="Write TEI with `<handShift/>`: one file if PATH ends in .xml, else a folder with a file for "
        "each page.",
    ),
]
VerbalScaleOption = Annotated[
    Path | None,
    typer.Option("--verbal-scale", metavar="FILE", help="Verbal scale to use instead of ENFSI's, as JSON."),
]
ReportFolderOption = Annotated[
    Path | None, typer.Option("--out", metavar="FOLDER", help="Write an HTML report into this folder.")
]
ReportPdfOption = Annotated[bool, typer.Option("--pdf", help="Write the report as PDF too; needs --out.")]
CsvOption = Annotated[
    Path | None,
    typer.Option("--csv", metavar="FILE", help="Write the findings as a table for spreadsheets."),
]
CaseOption = Annotated[str, typer.Option("--case", help="Case number, for report and JSON.")]
ExhibitOption = Annotated[str, typer.Option("--exhibit", help="Exhibit number, for report and JSON.")]
ExaminerOption = Annotated[str, typer.Option("--examiner", help="Examiner, for report and JSON.")]
NoteOption = Annotated[str, typer.Option("--note", help="Remark, for report and JSON.")]
ForceOption = Annotated[
    bool,
    typer.Option(
        "--force", help="State the ratio outside of what was validated as well; results are marked."
    ),
]
ResolutionOption = Annotated[
    float | None,
    typer.Option(
        "--dpi",
        min=100,
        max=2400,
        help="Resolution of the scans, so that the size of the writing can be compared, where their files "
        "state none or a wrong one.",
        show_default="as the file says",
    ),
]
LanguageOption = Annotated[
    Language, typer.Option("--lang", help="Language of output and report.", callback=choose)
]


def case_record(case: str, exhibit: str, examiner: str, note: str) -> dict[str, str]:
    """What was noted of the case, without what was left out."""
    given = {"case": case, "exhibit": exhibit, "examiner": examiner, "note": note}
    return {name: value for name, value in given.items() if value}


ResumeOption = Annotated[
    bool,
    typer.Option(
        "--resume/--no-resume",
        help="Continue a run that was stopped or killed before it finished, or start over.",
    ),
]
