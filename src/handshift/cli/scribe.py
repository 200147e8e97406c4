"""Draw a page of synthetic handwriting."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from handshift.core.errors import HandshiftError
from handshift.corpus.scribes import Layout, Paper, Passage, Pen, Scribe, draw_page, mixed_passages, save_page
from handshift.corpus.scribes.texts import EXAMPLES


class Script(StrEnum):
    """Which example text is written when none is given; scribes write both."""

    latin = "latin"
    hangul = "hangul"


def scribe(
    out: Annotated[Path, typer.Option(help="PNG to write; the truth goes beside it as .json.")],
    hands: Annotated[str, typer.Option(help="Number of the scribe, or of two: main,foreign.")] = "9",
    text: Annotated[
        str, typer.Option(help="Text file to write, - for standard input; else an example.")
    ] = "",
    foreign: Annotated[str, typer.Option(help="Words by the second hand, counted from 1, as in 10-25.")] = "",
    script: Annotated[Script, typer.Option(help="Script of the example text.")] = Script.latin,
    paper: Annotated[Paper, typer.Option(help="What is printed on the paper.")] = Paper.PLAIN,
    session: Annotated[
        int, typer.Option(min=0, help="Day on which the hands write; pens and size drift.")
    ] = 0,
    slope: Annotated[float, typer.Option(min=-8, max=8, help="Rise of the lines in degrees.")] = 0.0,
    same_pen: Annotated[bool, typer.Option("--same-pen", help="Give all hands one pen.")] = False,
    dpi: Annotated[float, typer.Option(min=50, max=600, help="Resolution of the scan.")] = 150,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another drawing of the same hands.")] = 0,
) -> None:
    """Draw a page in the hand of synthetic scribes, with the ground truth of every word.

    Example: a letter by scribe 11 in which scribe 5 wrote the words 46 to 60:

        handshift scribe --hands 11,5 --foreign 46-60 --same-pen --paper ruled --seed 1 --out page.png
    """
    scribes = _scribes(hands, session)
    try:
        passages = _passages(_text(text, script), scribes, foreign)
        page = draw_page(
            passages,
            seed=seed,
            dpi=dpi,
            paper=paper,
            layout=Layout(slope_deg=slope),
            pen=Pen() if same_pen else None,
        )
        truth = save_page(page, out)
    except HandshiftError as error:
        raise typer.BadParameter(str(error)) from error
    typer.echo(f"{out}: {len(page.words)} words on {page.words[-1].line + 1} lines; the truth is in {truth}")


def _scribes(hands: str, session: int) -> list[Scribe]:
    numbers = hands.split(",")
    if len(numbers) > 2 or not all(number.strip().isdecimal() for number in numbers):
        raise typer.BadParameter(
            f"{hands!r} is not a scribe's number or two of them, as in 9 or 9,5", param_hint="--hands"
        )
    return [Scribe(int(number), session) for number in numbers]


def _passages(text: str, scribes: list[Scribe], foreign: str) -> tuple[Passage, ...]:
    if not foreign:
        if len(scribes) == 2:
            raise typer.BadParameter(
                "say which words the second hand writes, as in 10-25", param_hint="--foreign"
            )
        return (Passage(scribes[0], text),)
    first, _, last = foreign.partition("-")
    last = last or first
    if not (first.strip().isdecimal() and last.strip().isdecimal()) or not 1 <= int(first) <= int(last):
        raise typer.BadParameter(f"{foreign!r} is not a range of words, as in 10-25", param_hint="--foreign")
    if len(scribes) < 2:
        raise typer.BadParameter("name a second hand, as in 9,5", param_hint="--hands")
    if int(last) > len(text.split()):
        raise typer.BadParameter(
            f"the text has {len(text.split())} words, none numbered {last}", param_hint="--foreign"
        )
    return mixed_passages(text, scribes[0], scribes[1], int(first) - 1, int(last) - int(first) + 1)


def _text(source: str, script: Script) -> str:
    if not source:
        return EXAMPLES[script.value]
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise typer.BadParameter(f"{source}: {error.strerror}", param_hint="--text") from error
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise typer.BadParameter(
            f"{source}: not UTF-8 text (byte {error.start + 1}); save it as UTF-8", param_hint="--text"
        ) from error
