"""Commands whose code is loaded when they are called, so that none waits for the others' libraries."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from handshift.core.errors import HandshiftError


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A command's place, the line that lists it, and the extra it needs beyond the core install."""

    place: str
    """``module:attribute`` of a function or of a `typer.Typer`."""
    summary: str
    extra: str = ""
    example: str = ""
    """Shown under a group's help; a function tells its own."""


TRAIN = "handshift train embed --data csafe --split studies/splits/csafe.json --out runs/words"
CORPUS = "handshift corpus list databases"
STUDY = "handshift study run studies/toy-scribes.yaml"
MAPS = "handshift maps simulate gearbox --train 200 --test 200"
COMMANDS = {
    "examine": LazyCommand("handshift.cli.examine:examine", "Look for words that another hand wrote."),
    "demo": LazyCommand("handshift.cli.demo:demo", "Examine the two pages that come with handshift."),
    "hands": LazyCommand("handshift.cli.hands:hands", "Tell the hands of a whole document apart."),
    "report": LazyCommand("handshift.cli.report:report", "Make reports again from findings, or as PDF."),
    "words": LazyCommand("handshift.cli.words:words", "Show the words found on a page."),
    "verify": LazyCommand("handshift.cli.verify:verify", "Weigh whether one person wrote both pages."),
    "enroll": LazyCommand("handshift.cli.enroll:enroll", "Make a person's hand known to a gallery."),
    "identify": LazyCommand(
        "handshift.cli.identify:identify", "Find whose hand it is, or that it is nobody's."
    ),
    "scribe": LazyCommand("handshift.cli.scribe:scribe", "Draw a page of synthetic handwriting."),
    "models": LazyCommand("handshift.cli.models:app", "List the models that come with handshift."),
    "corpus": LazyCommand("handshift.cli.corpus:app", "List and cut databases of handwriting.", "", CORPUS),
    "train": LazyCommand("handshift.cli.train:app", "Train models on your own collection.", "train", TRAIN),
    "clean": LazyCommand("handshift.cli.clean:clean", "Find what is filed under the wrong writer.", "train"),
    "invert": LazyCommand("handshift.cli.invert:invert", "Draw what a model takes a hand to be.", "train"),
    "calibrate": LazyCommand("handshift.cli.calibrate:calibrate", "Make a model from a trained network."),
    "validate": LazyCommand("handshift.cli.validate:validate", "Measure a model on your own known writers."),
    "study": LazyCommand("handshift.cli.study:app", "Compare variants over seeds.", "train", STUDY),
    "maps": LazyCommand("handshift.cli.maps:app", "Find the gear tooth that sounds different.", "maps", MAPS),
}


class LazyGroup(TyperGroup):
    """Lists commands by their summaries, and imports only the one that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, command in COMMANDS.items():
            self.add_command(TyperCommand(name, help=command.summary))

    # Typer has its own copy of click from 0.26 on; naming either one's Context would shut out the other.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Put the real command in the place of its summary."""
        if args and args[0] in COMMANDS:
            self.add_command(load(args[0]), args[0])
        return super().resolve_command(ctx, args)


def load(name: str) -> Any:
    """Import one command; a library that is missing becomes advice on what to install."""
    command = COMMANDS[name]
    module, _, attribute = command.place.partition(":")
    try:
        target = getattr(import_module(module), attribute)
    except ModuleNotFoundError as error:
        if not command.extra:
            raise
        advice = f"pip install 'handshift[{command.extra}]'"
        raise HandshiftError(f"{name} needs {error.name}, which is not installed: {advice}") from error
    if not isinstance(target, typer.Typer):
        function, target = target, typer.Typer(add_completion=False, rich_markup_mode="markdown")
        target.command(name)(function)
    loaded: Any = typer.main.get_command(target)
    if command.example:
        loaded.epilog = f"Example: {command.example}"
    return loaded
