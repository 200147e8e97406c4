"""The progress bar: step, loss, the watched metric, time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Show(Protocol):
    """Moves the bar to ``step`` and sets the words beside it."""

    def __call__(self, step: int, words: str) -> None:
        """Draw."""


@contextmanager
def training_bar(label: str, first: int, total: int, visible: bool) -> Iterator[Show]:
    """Show a bar on a terminal; nothing where there is none (logs, tests, studies in parallel)."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=not (visible and console.is_terminal)) as progress:
        bar = progress.add_task(label, total=total, completed=first, words="")
        yield lambda step, words: progress.update(bar, completed=step, words=words)
