"""handshift corpus: which databases of handwriting are there, and cutting them into words."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from handshift.cli.destination import check_folder
from handshift.core.errors import CorpusError
from handshift.corpus.databases.inventory import COLUMNS, inventory
from handshift.corpus.databases.layouts import layout_named
from handshift.corpus.databases.reading import find_databases, read_database
from handshift.corpus.databases.record import Database
from handshift.corpus.databases.splits import load_split, make_split

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="List databases of handwriting, split their writers, cut them into word pictures; draw some.",
)
Root = Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder that holds the databases' folders.")]
Names = Annotated[list[str] | None, typer.Option("--database", help="Only this one; may be repeated.")]


@app.callback()
def corpus() -> None:
    """Databases of handwriting in one form."""


@app.command("list")
def listed(
    root: Root,
    as_csv: Annotated[bool, typer.Option("--csv", help="Comma-separated, for a program.")] = False,
) -> None:
    """List what was found: database, script, what its files hold, writers, sessions, sheets and files.

    Example: handshift corpus list databases
    """
    rows = [row for database in _found(root) for row in inventory(database)]
    if as_csv:
        csv.writer(sys.stdout).writerows([COLUMNS, *rows])
        return
    table = [COLUMNS, *[tuple(map(str, row)) for row in rows]]
    widths = [max(len(row[column]) for row in table) for column in range(len(COLUMNS))]
    for row in table:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@app.command()
def split(
    root: Root,
    out: Annotated[Path, typer.Option(help="Folder for one JSON file a database; those there are checked.")],
    database: Names = None,
) -> None:
    """Share the writers of each database out into train, calibration, validation and test.

    A split that exists is never changed: it is checked against the database.

    Example: handshift corpus split databases --out studies/splits
    """
    for one in _chosen(root, database):
        path = out / f"{one.name}.json"
        if not path.exists():
            make_split(one).save(path)
        parts = load_split(one, out).parts
        typer.echo(f"{path}: " + ", ".join(f"{part} {len(writers)}" for part, writers in parts.items()))


@app.command()
def cut(
    root: Root,
    out: Annotated[Path, typer.Option(help="Folder for the words of each database.")],
    database: Names = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
) -> None:
    """Cut the databases into word pictures at the scale of the writing; strokes and fonts are drawn first.

    Example: handshift corpus cut databases --out cache/words --database iam
    """
    from handshift.embedding.crops.record_collection import collect_records

    for one in _chosen(root, database):
        counts = collect_records(one, out / one.name, workers)
        words = sum(track(counts, one.name, total=len(one.records)))
        typer.echo(f"{out / one.name}: {words} words of {len(one.records)} records")


@app.command()
def embed(
    root: Root,
    words: Annotated[Path, typer.Option(help="The words of each database, as `corpus cut` left them.")],
    network: Annotated[Path, typer.Option(help="words.onnx of `train embed --databases` or `train join`.")],
    out: Annotated[Path, typer.Option(help="Folder for vectors.npy, words.csv and the joined split.json.")],
    database: Names = None,
    splits: Annotated[Path, typer.Option(help="Folder of the splits.")] = Path("studies/splits"),
    part: Annotated[
        list[str] | None, typer.Option(help="Only these parts of the splits; may be repeated.")
    ] = None,
    threads: Annotated[int, typer.Option(min=1)] = 2,
) -> None:
    """Embed the cut words of several databases into one folder, for `train detect` and `calibrate`.

    Example: handshift corpus embed databases --words cache/words --network words.onnx --database csafe
    --database iam --out runs/vectors
    """
    from handshift.corpus.databases.splits import PARTS
    from handshift.embedding.embed_databases import embed_databases

    names = [one.name for one in _chosen(root, database)]
    if unknown := [name for name in part or () if name not in PARTS]:
        raise CorpusError(f"--part {unknown[0]}: choose among {', '.join(PARTS)}")
    typer.echo(embed_databases(root, words, splits, names, network, out, part or PARTS, threads))


@app.command()
def draw(
    out: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to make.")],
    writers: Annotated[int, typer.Option(min=8, help="Synthetic scribes.")] = 40,
    pages: Annotated[
        int, typer.Option(min=1, help="Pages of each scribe in a session, at most nine.", max=9)
    ] = 3,
    sessions: Annotated[int, typer.Option(min=1, help="Days on which each scribe writes.")] = 3,
    words: Annotated[int, typer.Option(min=1, max=40, help="Words of a page.")] = 14,
    first: Annotated[int, typer.Option(min=0, help="Number of the first scribe.")] = 0,
) -> None:
    """Draw word pictures by synthetic scribes, to try the road from pictures to a verdict.

    `<writer>/<word>_<repetition>.png` and naver_ocr.csv; a repetition is a page, nine repetitions a session.
    split.json beside them has 40 % of the writers to train on, 15 % to validate, 30 % to calibrate, 15 % to
    test; a calibration needs ten.

    Example: handshift corpus draw words --writers 40
    """
    from handshift.corpus.scribes.word_folder import distinct_words, draw_word_folder, split_drawn

    check_folder(out)
    repetitions = [9 * session + page for session in range(sessions) for page in range(pages)]
    drawn = draw_word_folder(out, writers, repetitions, distinct_words(count=words), first)
    total = sum(track(drawn, "drawing", total=writers))
    split_drawn(out, writers)
    typer.echo(f"{out}: {total:,} word pictures by {writers} scribes, {len(repetitions)} pages each")


def _chosen(root: Path, names: list[str] | None) -> list[Database]:
    """The databases named; without names all that may be trained on."""
    if names:
        return [read_database(root, name) for name in names]
    return [one for one in _found(root) if layout_named(one.name).trainable]


def _found(root: Path) -> list[Database]:
    """All databases of a folder.

    Raises:
        CorpusError: There is none.
    """
    if found := find_databases(root):
        return list(found)
    raise CorpusError(f"{root}: no folder of a known database has a manifest.csv")
