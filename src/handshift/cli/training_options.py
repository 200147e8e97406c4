"""Options that every command has which trains an embedding."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from handshift.embed.presets import PRESETS, load_preset
from handshift.embed.presets.recipe import Recipe

RUN = "This run"
CORPUS = "Corpus folder or manifest; `<identity>/*.png` will do."

Split = Annotated[
    Path | None, typer.Option(help="Writer split; one is made and kept in OUT/split.json if none.")
]
Contents = Annotated[
    str, typer.Option(help="What a file holds: page (of words), word, picture (anything else).")
]
Preset = Annotated[
    str | None, typer.Option(help=f"{', '.join(PRESETS)} or a YAML file; options given beside it count more.")
]
Accelerator = Annotated[str, typer.Option(rich_help_panel=RUN, help="cpu, cuda, mps.")]
Threads = Annotated[int, typer.Option(min=1, rich_help_panel=RUN, help="Threads of the processor.")]


def recipe_of(preset: str | None, given: dict[str, Any]) -> Recipe:
    """The preset, or the defaults, with what was given on the command line put over it."""
    return (load_preset(preset) if preset else Recipe()).changed(given)
