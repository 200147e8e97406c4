"""handshift enroll: add a person's pages to a gallery."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift import Contents
from handshift.cli.shared_options import ModelOption, ResolutionOption, ResumeOption
from handshift.core.terminal_text import one_line

if TYPE_CHECKING:
    from handshift.embedding.gallery import Gallery


def enroll(
    gallery: Annotated[Path, typer.Option(metavar="FOLDER", help="The gallery; made if it is not there.")],
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Whose pages they are.")] = None,
    pages: Annotated[
        list[Path] | None, typer.Argument(metavar="PAGES…", help="Scans, PDFs or folders, all by one person.")
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(
            "--from", metavar="CORPUS", help="Enroll everybody in a corpus, or in NAME/*.png folders."
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List who is enrolled.")] = False,
    remove: Annotated[
        list[str] | None, typer.Option("--remove", metavar="NAME", help="Remove a person; may be repeated.")
    ] = None,
    renew: Annotated[
        bool, typer.Option("--renew", help="Embed all enrolled files again, with another --model.")
    ] = False,
    drop_missing: Annotated[
        bool, typer.Option("--drop-missing", help="With --renew: leave out files that are gone or changed.")
    ] = False,
    cut: Annotated[
        Contents, typer.Option(help="What one file holds: a page, one word, or any picture.")
    ] = "page",
    dpi: ResolutionOption = None,
    resume: ResumeOption = True,
    model: ModelOption = None,
) -> None:
    """Add a person's pages to a gallery.

    Pages of a name that is enrolled already are added to it; a page that it already has is skipped.

    Example: handshift enroll Martha letters/martha --gallery family

    Example: handshift enroll --renew --gallery family
    """
    modes = [bool(name), people is not None, list_, bool(remove), renew]
    if sum(modes) != 1 or bool(name) != bool(pages):
        raise typer.BadParameter("give a NAME and its PAGES, or one of --from, --list, --remove and --renew")
    if drop_missing and not renew:
        raise typer.BadParameter("--drop-missing goes with --renew")
    if list_:
        from handshift.embedding.gallery import Gallery

        _show(Gallery.load(gallery))
    elif renew:
        from handshift.pipeline.comparer import Comparer
        from handshift.pipeline.renew_gallery import renew as embed_again

        done = embed_again(Comparer(model, dpi=dpi), gallery, drop_missing=drop_missing)
        for line in done.missing:
            typer.echo(f"left out: {line}", err=True)
        typer.echo(
            f"{gallery}: {done.renewed} pages embedded by {done.gallery.model}; {_people(done.gallery)}"
        )
    elif remove:
        from handshift.pipeline.identifier import remove as remove_people

        left = remove_people(remove, gallery)
        typer.echo(f"{gallery}: removed {', '.join(remove)}; {_people(left)}")
    else:
        from handshift.core.counted import counted
        from handshift.embedding.crops.file_contents import FileContents
        from handshift.pipeline.comparer import Comparer
        from handshift.pipeline.identifier import enroll as add

        known = {name: list(pages)} if name and pages else _everybody(people)
        warnings: list[str] = []
        made, new = add(Comparer(model, dpi=dpi), known, gallery, FileContents(cut), warnings.append, resume)
        for warning in warnings:
            typer.echo(warning, err=True)
        skipped = sum(": skipped: " in warning for warning in warnings)
        also = f", {counted(skipped, 'picture')} skipped" if skipped else ""
        typer.echo(f"{gallery}: {counted(new, 'new page')}{also}; {_people(made)}")


def _everybody(corpus: Path | None) -> dict[str, list[Path]]:
    from handshift.corpus.layouts import read_corpus

    found: dict[str, list[Path]] = {}
    for sample in read_corpus(corpus or Path()).samples:
        found.setdefault(sample.writer, []).append(sample.path)
    return found


def _people(gallery: Gallery) -> str:
    count = len(gallery.names)
    return f"{count} {'person' if count == 1 else 'people'} enrolled"


def _show(gallery: Gallery) -> None:
    from rich.table import Table
    from rich.text import Text

    from handshift.cli.verdict_output import console

    table = Table(box=None, padding=(0, 2))
    table.add_column("name")
    for heading in ("pages", "words"):
        table.add_column(heading, justify="right")
    for name in gallery.names:
        entries = [entry for entry in gallery.entries if entry.name == name]
        table.add_row(Text(one_line(name)), str(len(entries)), str(sum(entry.words for entry in entries)))
    screen = console()
    screen.print(f"{_people(gallery)}, by model {gallery.model}", markup=False)
    if gallery.entries:
        screen.print(table)
