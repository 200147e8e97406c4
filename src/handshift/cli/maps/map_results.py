"""Results of one scoring run: a printed table, JSON and the HTML report."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from handshift.calibration.verbal_scale import Language
from handshift.core.atomic import write_text
from handshift.core.terminal_text import one_line
from handshift.healthmap.report import ReportedRun, ScoredMap, maps_html
from handshift.healthmap.thresholds import WeakThreshold


@dataclass
class MapResults:
    """Collects and prints scored maps, and writes JSON and report.

    Attributes:
        model: Folder of the model.
        scope: ``domain`` or ``global``: which threshold is used.
        reported: Whether maps must be kept for a report.
        started: Time of the run.
        records: One JSON record for each map.
        scored: Maps for the report.
        failed: Paths that could not be scored, each with the reason.
    """

    model: Path
    scope: Any
    reported: bool = False
    started: datetime = field(default_factory=lambda: datetime.now().astimezone())
    records: list[dict[str, Any]] = field(default_factory=list)
    scored: list[ScoredMap] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, map_: ScoredMap, domain: str | None) -> None:
        """Add a map that was scored."""
        if map_.warning:
            typer.echo(f"handshift: warning: {one_line(map_.path)}: {map_.warning}", err=True)
        if self.reported:
            self.scored.append(map_.downsampled())
        scores = {"score": map_.score, "threshold": map_.threshold, "flagged": map_.flagged}
        warning = {"warning": map_.warning, "error": None}
        self.records.append({"path": str(map_.path), "domain": domain, **scores, **warning})

    def fail(self, path: Path, problem: str, domain: str | None = None) -> None:
        """Add a map that could not be scored."""
        typer.echo(f"handshift: {one_line(path)}: {one_line(problem)}", err=True)
        empty = {"score": None, "threshold": None, "flagged": None, "warning": None}
        self.failed.append((str(path), problem))
        self.records.append({"path": str(path), "domain": domain, **empty, "error": problem})

    def restore(self, record: dict[str, Any]) -> None:
        """Add a map of an earlier attempt."""
        if record["error"] is not None:
            self.failed.append((record["path"], record["error"]))
        self.records.append(record)

    def domains(self) -> list[str | None]:
        """Domains of the maps that were scored."""
        return list(dict.fromkeys(record["domain"] for record in self.records if record["score"] is not None))

    def print_by_score(self) -> None:
        """Print a table of the scored maps, the highest score first."""
        scored = [record for record in self.records if record["score"] is not None]
        if not scored:
            return
        width = max(len("domain"), *(len(record["domain"] or "?") for record in scored))
        typer.echo(f"{'':7}  {'score':>9}  threshold  {'domain':<{width}}  map")
        for record in sorted(scored, key=lambda record: -float(record["score"])):
            mark = "FLAGGED" if record["flagged"] else "normal"
            figures = f"{record['score']:9.4f}  {record['threshold']:9.4f}"
            typer.echo(f"{mark:<7}  {figures}  {record['domain'] or '?':<{width}}  {record['path']}")

    def write_json(self, path: Path, complete: bool = True) -> None:
        """Write the records of all maps, in the order they were scored."""
        about = {"written_by": "handshift maps score", "model": str(self.model), "complete": complete}
        write_text(path, json.dumps(about | {"maps": self.records}, indent=1) + "\n")

    def write_report(self, path: Path, language: Language, weak: Sequence[WeakThreshold]) -> None:
        """Write the HTML report; ``weak`` are the thresholds that rest on too few normal maps."""
        settings = {"thresholds": self.scope}
        run = ReportedRun(str(self.model), self.started, settings, tuple(self.failed), language, tuple(weak))
        write_text(path, maps_html(self.scored, run))
        typer.echo(f"Report: {path}")
