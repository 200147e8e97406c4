"""Work folders of runs: ``runs/studies/<study>/<timestamp>_<variant>_seed<N>/``, one per variant and seed.

A run that was interrupted goes on from its folder. Drafts have folders of their own, below ``draft/``, so
that no checkpoint of changed code gets into a result.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.loaders import read_json_object
from handshift.study.provenance import Origin

ABOUT = "run.json"
DONE = "metrics.json"
DRAFT = "draft"


@dataclass(frozen=True)
class StudyRun:
    """One variant with one seed, and the folder it works in."""

    variant: str
    seed: int
    folder: Path
    collected: bool = False
    """Its figures are in the study's table already, so that it need not run."""

    @property
    def done(self) -> bool:
        """``metrics.json`` is written last and in one step: where it exists, the run is complete."""
        return self.collected or (self.folder / DONE).exists()

    @property
    def started(self) -> bool:
        """Whether the folder holds something to resume from."""
        return (self.folder / ABOUT).exists()


def plan(
    work: Path,
    variants: Mapping[str, Mapping[str, Any]],
    seeds: list[int],
    completed: Callable[[Mapping[str, Any]], dict[str, Any]] = dict,
) -> list[StudyRun]:
    """List all runs of a study, seed by seed, in the folders that exist already or in new ones.

    Args:
        work: The study's work folder.
        variants: Configuration by variant.
        seeds: Seeds that each variant is run with.
        completed: Adds to a stored configuration the fields that its task was given since.

    Raises:
        StudyError: A folder was made with another configuration, or a run has two folders.
    """
    by_slug = {slug(variant): variant for variant in variants}
    for variant in variants:
        if by_slug[slug(variant)] != variant:
            raise StudyError(
                f"variants: {variant!r} and {by_slug[slug(variant)]!r} would share a folder name"
            )
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    runs = []
    for seed in seeds:
        for variant, config in variants.items():
            folder = find_run(work, variant, seed) or work / f"{now}_{_tail(variant, seed)}"
            if (folder / ABOUT).exists():
                refuse_other_config(folder, completed(read_about(folder)["config"]), config)
            runs.append(StudyRun(variant, seed, folder))
    return runs


def find_run(work: Path, variant: str, seed: int) -> Path | None:
    """Return the folder of a run, or None where it was never started."""
    found = sorted(path for path in work.glob(f"*_{_tail(variant, seed)}") if path.is_dir())
    if len(found) > 1:
        names = " and ".join(path.name for path in found)
        raise StudyError(f"{work}: {names} are the same run twice. Remove one.")
    return found[0] if found else None


def finished_runs(work: Path) -> Iterator[tuple[Path, dict[str, Any], dict[str, Any]]]:
    """Yield folder, description and outcome of every complete run, drafts first."""
    for parent in (work / DRAFT, work):
        for path in sorted(parent.glob(f"*/{DONE}")):
            yield path.parent, read_about(path.parent), read_json_object(path, "the figures of a run")


def read_about(folder: Path) -> dict[str, Any]:
    """Read ``run.json``: study, variant, seed, configuration, data and the origins of every attempt."""
    return read_json_object(folder / ABOUT, "the record of a run")


def slug(variant: str) -> str:
    """A variant's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9.=,-]+", "-", variant)


def describe(run: StudyRun, about: Mapping[str, Any], origin: Origin) -> None:
    """Write ``run.json``. An attempt that resumes adds its origin where that differs from the ones before."""
    record = read_about(run.folder) if run.started else {**about, "origins": []}
    entry = origin.model_dump(mode="json")
    if entry not in record["origins"]:
        record["origins"].append(entry)
        write_text(run.folder / ABOUT, json.dumps(record, indent=1))


def refuse_other_config(where: Path, before: Mapping[str, Any], config: Mapping[str, Any]) -> None:
    """Raise a StudyError that names each setting in which two configurations differ, if any does."""
    now = json.loads(json.dumps(config))
    different = [
        f"{key} was {before.get(key, 'not set')} and is now {now.get(key, 'not set')}"
        for key in sorted(before.keys() | now.keys())
        if before.get(key) != now.get(key)
    ]
    if different:
        raise StudyError(
            f"{where} was made with another configuration ({'; '.join(different)}). "
            "Give the study another name, or remove it."
        )


def _tail(variant: str, seed: int) -> str:
    return f"{slug(variant)}_seed{seed}"
