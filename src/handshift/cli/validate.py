"""handshift validate: a model's performance on a collection of known writers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import LanguageOption, ModelOption


def validate(
    data: Annotated[Path, typer.Option(help="Corpus folder or manifest: pages whose writers are known.")],
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Folder for the report and its figures.")
    ] = Path("handshift-validation"),
    split: Annotated[Path | None, typer.Option(help="Writer split; only its --part is used.")] = None,
    part: Annotated[str, typer.Option(help="Part of the split.")] = "test",
    words: Annotated[Path | None, typer.Option(help="Word pictures cut before.")] = None,
    documents: Annotated[int, typer.Option(min=20, help="Documents of each kind and share.")] = 600,
    shared: Annotated[int, typer.Option(min=5, help="Pages of each number of hands.")] = 60,
    seed: Annotated[int, typer.Option(min=0)] = 2026,
    threads: Annotated[int, typer.Option(min=1)] = 2,
    criteria: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Criteria of the validation matrix as JSON, instead of ours."),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column of the manifest, as pen: results within each value too."),
    ] = None,
    model: ModelOption = None,
    lang: LanguageOption = Language.en,
) -> None:
    """Run the whole protocol on labelled pages and report how the model's likelihood ratios perform there.

    The writers must be others than those the model was trained and calibrated on. Documents of known truth
    are put together of their words: by one person on one day, by one person on two, and by several. The
    validation matrix holds the figures against criteria that were fixed in a file beforehand.

    Example: handshift validate --data letters/manifest.csv --out validation
    """
    from handshift.cli.destination import check_file
    from handshift.cli.verdict_output import console
    from handshift.report.about_run import in_language
    from handshift.report.notices import notice
    from handshift.report.page_report import texts
    from handshift.validation.validate_model import RESULTS, validate_model

    for name in RESULTS:
        check_file(out / name)
    validation = validate_model(
        data,
        model=model,
        split=split,
        part=part,
        words=words or out / "words",
        documents=documents,
        shared=shared,
        seed=seed,
        threads=threads,
        criteria=criteria,
        by=by,
        progress=lambda step: console(error=True).print(notice(step, lang), markup=False),
    )
    report = validation.save(out, lang)
    t, said = texts(lang), in_language(lang)
    for one in validation.found.ratios:
        figures = f"Cllr {one.both.cllr.value:.3f}, Cllr cal {one.both.cllr_cal.value:.3f}"
        console().print(f"{said(one.setting.name)}: {figures}", markup=False)
    for row in validation.matrix.rows:
        passed = t["matrix_passed" if row.passed else "matrix_failed"]
        criterion = row.criterion
        what = ", ".join(map(said, (criterion.metric, criterion.setting)))
        value = f"{row.figure.value:.3f}" if row.figure else t["category_unmeasured"]
        value += f" ({criterion.limit})"
        console().print(f"{said(criterion.characteristic)}: {what} {value} {passed}", markup=False)
    console().print(validation.matrix.sentence(lang), markup=False, soft_wrap=True)
    for each in validation.found.categories:
        value = f"Cllr {each.ratios.both.cllr.value:.3f}" if each.ratios else t["category_unmeasured"]
        console().print(f"{each.name}: {value}", markup=False)
    console().print(f"{t['term_report']}: {report}", markup=False, soft_wrap=True)
