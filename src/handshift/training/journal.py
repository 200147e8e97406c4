"""The training log: one JSON object per line in ``metrics.jsonl``, mirrored to TensorBoard."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from handshift.core.atomic import WriteError, write_text
from handshift.core.errors import HandshiftError
from handshift.core.loaders import read_text

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

FILE = "metrics.jsonl"


def read_journal(folder: Path) -> list[dict[str, Any]]:
    """Read all complete lines of a training's log.

    Args:
        folder: The training's folder.

    Returns:
        The entries in order, each with ``step`` and ``kind``; a last line cut off by a kill is left out.

    Raises:
        HandshiftError: A complete line is not JSON.
    """
    path = folder / FILE
    if not path.exists():
        return []
    lines = read_text(path).split("\n")[:-1]  # what follows the last newline is incomplete
    try:
        return [json.loads(line) for line in lines if line]
    except (ValueError, RecursionError) as error:
        raise HandshiftError(f"{path}: a damaged line ({error}); remove the line or the folder") from error


class Journal:
    """Appends entries to the log.

    Args:
        folder: The training's folder.
        resume_step: Entries after this step are dropped, because the resumed run writes them again.
        tensorboard: Whether to write TensorBoard events as well.
    """

    def __init__(self, folder: Path, resume_step: int, tensorboard: bool) -> None:
        self._path = folder / FILE
        kept = [entry for entry in read_journal(folder) if entry["step"] <= resume_step]
        write_text(self._path, "".join(json.dumps(entry) + "\n" for entry in kept))
        self._file = self._path.open("a", encoding="utf-8")
        self._board = self._open_board(folder / "tensorboard", kept) if tensorboard else None

    def _open_board(self, folder: Path, kept: list[dict[str, Any]]) -> SummaryWriter:
        from torch.utils.tensorboard import SummaryWriter  # slow to import, and not everybody wants it

        # Event files cannot be truncated; writing them anew from the kept lines leaves no step in them twice.
        shutil.rmtree(folder, ignore_errors=True)
        board = SummaryWriter(str(folder))
        for entry in kept:
            _to_board(board, entry)
        return board

    def write(self, step: int, kind: str, values: Mapping[str, float]) -> None:
        """Append one entry; ``kind`` is ``train`` or ``evaluation``."""
        entry = {"step": step, "kind": kind, **values}
        try:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
        except OSError as error:
            raise WriteError(
                f"{self._path}: cannot be written ({error.strerror}). Make room, run again."
            ) from error
        if self._board is not None:
            _to_board(self._board, entry)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._board is not None:
            self._board.close()


def _to_board(board: SummaryWriter, entry: Mapping[str, Any]) -> None:
    for name, value in entry.items():
        if name not in ("step", "kind"):
            board.add_scalar(f"{entry['kind']}/{name}", value, entry["step"])
