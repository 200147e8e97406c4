"""Commands whose modules are imported when they are called, so that none waits for the others' libraries."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from handshift.cli.extras import missing_library
from handshift.cli.renamed_options import with_current_names


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """Where a command is defined, the line that lists it, and the extra it needs beyond the core install."""

    target: str
    """``module:attribute`` of a function or of a `typer.Typer`."""
    summary: str
    extra: str = ""
    example: str = ""
    """Shown under a group's help; a function has its own in its docstring."""


TRAIN = "handshift train embed --data csafe --split studies/splits/csafe.json --out runs/words"
CORPUS = "handshift corpus list databases"
STUDY = "handshift study run studies/toy-scribes.yaml"
MAPS = "handshift maps simulate gearbox --train 200 --test 200"
COMMANDS = {
    "examine": LazyCommand("handshift.cli.examine:examine", "Find the words that another hand wrote."),
    "demo": LazyCommand("handshift.cli.demo:demo", "Examine the two pages that come with handshift."),
    "hands": LazyCommand("handshift.cli.hands:hands", "Find the hands of a whole document."),
    "report": LazyCommand("handshift.cli.report:report", "Make reports from saved findings, or PDFs."),
    "words": LazyCommand("handshift.cli.words:words", "Show the words found on a page."),
    "verify": LazyCommand("handshift.cli.verify:verify", "Weigh whether one person wrote both pages."),
    "enroll": LazyCommand("handshift.cli.enroll:enroll", "Add a person's pages to a gallery."),
    "identify": LazyCommand(
        "handshift.cli.identify:identify", "Rank the people of a gallery as writers of a page."
    ),
    "index": LazyCommand("handshift.cli.index:index", "Index an archive, to find hands in it.", "archive"),
    "find": LazyCommand("handshift.cli.find:find", "Find the pages of an archive by this hand.", "archive"),
    "clusters": LazyCommand(
        "handshift.cli.find:clusters", "List the pages of an archive that share a hand.", "archive"
    ),
    "serve": LazyCommand("handshift.cli.serve:serve", "Open the workbench in a browser.", "web"),
    "log": LazyCommand(
        "handshift.cli.log:app", "Verify the workbench's audit log.", "web", "handshift log verify log.jsonl"
    ),
    "scribe": LazyCommand("handshift.cli.scribe:scribe", "Draw a page of synthetic handwriting."),
    "models": LazyCommand("handshift.cli.models:app", "List the models that come with handshift."),
    "corpus": LazyCommand("handshift.cli.corpus:app", "List and cut databases of handwriting.", "", CORPUS),
    "train": LazyCommand("handshift.cli.train:app", "Train models on your own collection.", "train", TRAIN),
    "bags": LazyCommand("handshift.cli.bags:bags", "Make labelled bags of words.", "train"),
    "clean": LazyCommand("handshift.cli.clean:clean", "Find mislabelled words in a collection.", "train"),
    "invert": LazyCommand(
        "handshift.cli.invert:invert", "Draw what a model takes for a writer's hand.", "train"
    ),
    "embed": LazyCommand("handshift.cli.embed:embed", "Embed the words of a collection.", "train"),
    "evaluate": LazyCommand("handshift.cli.evaluate:evaluate", "Verify and identify known writers."),
    "calibrate": LazyCommand("handshift.cli.calibrate:calibrate", "Make a model of a trained network."),
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
        """Replace the summary of a command by the command itself."""
        if args and args[0] in COMMANDS:
            ctx.meta[_CALLED] = args[0]
            self.add_command(load(args[0]), args[0])
            args = with_current_names(args)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; a library that is missing becomes advice on what to install."""
        try:
            return super().invoke(ctx)
        except ModuleNotFoundError as error:
            name = ctx.meta.get(_CALLED, "handshift")
            extra = COMMANDS[name].extra if name in COMMANDS else ""
            advice = missing_library(error, f"handshift {name}", extra)
            if advice is None:
                raise
            raise advice from error


_CALLED = "handshift.cli.called"
"""Under which the context keeps the name of the command that was called."""


def load(name: str) -> Any:
    """Import one command."""
    command = COMMANDS[name]
    module, _, attribute = command.target.partition(":")
    target = getattr(import_module(module), attribute)
    if not isinstance(target, typer.Typer):
        function, target = target, typer.Typer(add_completion=False, rich_markup_mode="markdown")
        target.command(name)(function)
    loaded: Any = typer.main.get_command(target)
    if command.example:
        loaded.epilog = f"Example: {command.example}"
    return loaded
