"""handshift validate: what a model may claim for a collection of known writers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from handshift.calibration.verbal_scale import Language
from handshift.cli.shared_options import ModelOption


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
    model: ModelOption = None,
    lang: Annotated[Language, typer.Option(help="Language of the report.")] = Language.en,
) -> None:
    """Run the whole protocol on labelled pages and report what the model's ratios are worth there.

    The writers must be others than those the model was trained and calibrated on. Documents of known truth
    are put together of their words: by one person on one day, by one person on two, and by several.

    Example: handshift validate --data letters/manifest.csv --out validation
    """
    import json
    from datetime import datetime

    from handshift.bag.pages import pages_of
    from handshift.cli.destination import check_file
    from handshift.cli.verdict_output import console
    from handshift.core.atomic import write_text
    from handshift.core.errors import HandshiftError
    from handshift.core.version import __version__
    from handshift.corpus.layouts import read_corpus
    from handshift.corpus.split import WriterSplit
    from handshift.embedding.crops.crop_cache import cached_words
    from handshift.models.shipped_models import find_model
    from handshift.report.run_header import Run
    from handshift.validation.hand_counts import validated_model
    from handshift.validation.protocol import validate as run_protocol
    from handshift.validation.protocol import validation_html

    for name in ("validation.html", "validation.json"):
        check_file(out / name)
    corpus = read_corpus(data)
    writers = list(corpus.writers)
    if split:
        parts = WriterSplit.load(split, known=corpus.writers).parts
        if part not in parts:
            raise HandshiftError(f"{split}: has no part {part!r}, only {', '.join(parts)}")
        writers = list(parts[part])
    shipped = find_model(model)
    table = cached_words(corpus, words or out / "words")
    screen = console(error=True)
    screen.print(f"embedding {len(table.rows_of(writers)):,} words of {len(writers)} writers")
    vectors = shipped.vectors_of(table, writers, threads)
    found = run_protocol(
        pages_of(table, writers),
        vectors,
        validated_model(shipped, threads),
        model=shipped.card.id,
        data=f"{len(writers)} writers of {corpus.name}" + (f", part {part}" if split else ""),
        seed=seed,
        documents=documents,
        shared=shared,
        progress=screen.print,
    )
    settings = {"documents": str(documents), "shared pages": str(shared), "seed": str(seed)}
    run = Run(shipped.card, datetime.now().astimezone(), settings, lang)
    about = {"command": "handshift validate", "handshift": __version__, **settings}
    write_text(
        out / "validation.json", json.dumps(about | found.record(), indent=1, ensure_ascii=False) + "\n"
    )
    write_text(out / "validation.html", validation_html(found, run))
    for one in found.ratios:
        console().print(
            f"{one.setting.name}: Cllr {one.both.cllr.value:.3f}, calibration {one.both.cllr_cal.value:.3f}"
        )
    console().print(f"Report: {out / 'validation.html'}", markup=False, soft_wrap=True)
