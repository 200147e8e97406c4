"""What a run of scores leaves behind."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import typer

from handshift.calibration.verbal_scale import Language
from handshift.core.atomic import write_text
from handshift.healthmap.report import ReportedRun, ScoredMap, maps_html


@dataclass
class MapResults:
    """Takes maps as they are scored, prints them, and writes what is about all of them."""

    model: Path
    scope: Any
    """`domain` or `global`: which threshold counts."""
    reported: bool = False
    """Whether pixels must be kept for a report."""
    started: datetime = field(default_factory=lambda: datetime.now().astimezone())
    records: list[dict[str, Any]] = field(default_factory=list)
    scored: list[ScoredMap] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)

    def add(self, map_: ScoredMap, domain: str | None) -> None:
        """One that was scored."""
        mark = "FLAGGED" if map_.flagged else "normal "
        typer.echo(f"{mark}  {map_.score:.4f} (threshold {map_.threshold:.4f})  {map_.path}")
        if map_.warning:
            typer.echo(f"handshift: warning: {map_.path}: {map_.warning}", err=True)
        if self.reported:
            self.scored.append(map_.thinned())
        told = {"score": map_.score, "threshold": map_.threshold, "flagged": map_.flagged}
        warning = {"warning": map_.warning, "error": None}
        self.records.append({"path": str(map_.path), "domain": domain, **told, **warning})

    def fail(self, path: Path, problem: str, domain: str | None = None) -> None:
        """One that could not be."""
        typer.echo(f"handshift: {path}: {problem}", err=True)
        nothing = {"score": None, "threshold": None, "flagged": None, "warning": None}
        self.failed.append((str(path), problem))
        self.records.append({"path": str(path), "domain": domain, **nothing, "error": problem})

    def write_json(self, path: Path) -> None:
        """All maps, in order."""
        about = {"written_by": "handshift maps score", "model": str(self.model), "maps": self.records}
        write_text(path, json.dumps(about, indent=1) + "\n")

    def write_report(self, path: Path, language: Language) -> None:
        """One HTML file."""
        settings = {"thresholds": self.scope}
        run = ReportedRun(str(self.model), self.started, settings, tuple(self.failed), language)
        write_text(path, maps_html(self.scored, run))
        typer.echo(f"Report: {path}")
