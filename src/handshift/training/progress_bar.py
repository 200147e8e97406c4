"""The progress bar of a training: step, loss, monitored metric, time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class Show(Protocol):
    """Callback that moves the bar to ``step`` and sets the text beside it."""

    def __call__(self, step: int, status: str) -> None:
        """Draw."""


@contextmanager
def training_bar(label: str, first: int, total: int, visible: bool) -> Iterator[Show]:
    """Show a progress bar on standard error where it is a terminal; show nothing in logs, tests and studies.

    Args:
        label: Text before the bar.
        first: Steps already done.
        total: Steps in all.
        visible: Whether a bar is wanted at all.

    Yields:
        The callback that updates the bar.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[status]}"),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=console, disable=not (visible and console.is_terminal)) as progress:
        bar = progress.add_task(label, total=total, completed=first, status="")
        yield lambda step, status: progress.update(bar, completed=step, status=status)
