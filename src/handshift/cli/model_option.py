"""The option by which every command is told which model to use."""

from __future__ import annotations

from typing import Annotated

import typer

from handshift.models.shipped_models import DEFAULT

ModelOption = Annotated[
    str | None, typer.Option(help="Id of a shipped model, or a model's folder.", show_default=DEFAULT)
]
