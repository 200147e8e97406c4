"""Pages examined one after the other; one that fails does not stop the rest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from handshift.attribution.verdict import Verdict
from handshift.core.errors import PageError
from handshift.page.scan import Scan, read_scans
from handshift.page.sidecar import find_segmentation
from handshift.report.findings_record import require_numbers

if TYPE_CHECKING:
    from handshift.pipeline.examiner import Examiner


@dataclass(frozen=True, slots=True)
class Failure:
    """A page, or a whole file, that could not be examined."""

    path: Path
    problem: str
    sha256: str | None = None
    number: int = 0

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}"


def examined(examiner: Examiner, path: Path) -> Iterator[Verdict | Failure]:
    """Yield what was found on every page of one file, or why nothing was."""
    scans = read_scans(path)
    number = 0
    while True:
        try:
            scan = next(scans, None)
        except Exception as error:
            yield failure(path, error, _digest(path), number)
            return
        if scan is None:
            return
        yield _page(examiner, scan)
        number = scan.number + 1


def failure(path: Path, error: Exception, sha256: str | None = None, number: int = 0) -> Failure:
    """Tell what went wrong; errors nobody foresaw are told too, for they must not stop a batch."""
    if isinstance(error, PageError):
        # A segmentation beside the scan has a path of its own, which the message then has to name.
        problem = error.problem if error.path == path else str(error)
    else:
        problem = f"handshift stumbled over this page ({type(error).__name__}: {error}); please report it"
    return Failure(path, problem, sha256, number)


def _page(examiner: Examiner, scan: Scan) -> Verdict | Failure:
    try:
        verdict = examiner.examine_scan(scan, find_segmentation(scan.source, scan.number))
        require_numbers(verdict)
        return verdict
    except Exception as error:
        return failure(scan.source, error, scan.sha256, scan.number)


def _digest(path: Path) -> str | None:
    """Hash a file that could not be decoded, so that the failure too can be traced to its input."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
