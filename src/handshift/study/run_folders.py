"""Run folders: ``results/<study>/<timestamp>_<variant>_seed<N>/``, one per variant and seed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.core.errors import StudyError
from handshift.core.loaders import read_json_object

ABOUT = "run.json"
DONE = "metrics.json"


@dataclass(frozen=True)
class Run:
    """One variant with one seed, and the folder its results are in or will be in."""

    variant: str
    seed: int
    folder: Path

    @property
    def done(self) -> bool:
        """``metrics.json`` is written last and in one step: where it stands, the run is complete."""
        return (self.folder / DONE).exists()

    @property
    def started(self) -> bool:
        """Whether there is something to go on from."""
        return (self.folder / ABOUT).exists()


def plan(results: Path, variants: Mapping[str, Mapping[str, Any]], seeds: list[int]) -> list[Run]:
    """All runs of a study, seed by seed, in the folders that exist already or in new ones.

    A folder whose configuration differs from the one asked for is refused, not overwritten and not mixed in.
    """
    by_slug = {slug(variant): variant for variant in variants}
    for variant in variants:
        if by_slug[slug(variant)] != variant:
            raise StudyError(
                f"variants: {variant!r} and {by_slug[slug(variant)]!r} would share a folder name"
            )
    runs = []
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    for seed in seeds:
        for variant, config in variants.items():
            tail = f"_{slug(variant)}_seed{seed}"
            found = sorted(path for path in results.glob(f"*{tail}") if path.is_dir())
            if len(found) > 1:
                names = " and ".join(path.name for path in found)
                raise StudyError(f"{results}: {names} are the same run twice. Remove one.")
            folder = found[0] if found else results / f"{now}{tail}"
            _check_config(folder, config)
            runs.append(Run(variant, seed, folder))
    return runs


def slug(variant: str) -> str:
    """A variant's name as part of a file name."""
    return re.sub(r"[^A-Za-z0-9.=,-]+", "-", variant)


def describe(run: Run, about: Mapping[str, Any]) -> None:
    """Write ``run.json`` unless an earlier attempt did: the first one's commit and time stay on record."""
    if not run.started:
        write_text(run.folder / ABOUT, json.dumps(about, indent=1))


def _check_config(folder: Path, config: Mapping[str, Any]) -> None:
    path = folder / ABOUT
    if not path.exists():
        return
    there = read_json_object(path, "the record of a run").get("config", {})
    here = json.loads(json.dumps(config))
    different = [
        f"{key} was {there.get(key, 'not set')} and is now {here.get(key, 'not set')}"
        for key in sorted(there.keys() | here.keys())
        if there.get(key) != here.get(key)
    ]
    if different:
        raise StudyError(
            f"{folder} was made with another configuration ({'; '.join(different)}). "
            "Give the study another name, or remove the folder."
        )
