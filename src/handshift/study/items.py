"""Scored items as Parquet: of one run in its folder, of all runs of a study in one small file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from handshift.core.atomic import write_bytes
from handshift.study.task import ScoredItems

FILE = "items.parquet"
RunKey = tuple[str, int]
"""Variant and seed."""


def save_items(folder: Path, items: ScoredItems) -> None:
    """Write one row per item: label, score, group, unit, threshold."""
    buffer = io.BytesIO()
    _frame(items).to_parquet(buffer, index=False)
    write_bytes(folder / FILE, buffer.getvalue())


def load_items(folder: Path) -> ScoredItems | None:
    """Read what ``save_items`` wrote; None where a run has figures only."""
    path = folder / FILE
    return _items(pd.read_parquet(path)) if path.exists() else None


def save_study_items(folder: Path, items: Mapping[RunKey, ScoredItems]) -> None:
    """Write the items of all runs into one compressed file, scores as 32-bit floats.

    Args:
        folder: The study's results folder.
        items: By variant and seed. Without any, no file is written.
    """
    if not items:
        return
    frames = [_frame(of).assign(variant=variant, seed=seed) for (variant, seed), of in items.items()]
    table = pd.concat(frames, ignore_index=True).astype(
        {"label": "int8", "score": "float32", "group": "category", "unit": "category", "variant": "category"}
    )
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False, compression="zstd")
    write_bytes(folder / FILE, buffer.getvalue())


def load_study_items(folder: Path) -> dict[RunKey, ScoredItems]:
    """Read what ``save_study_items`` wrote, by variant and seed; empty where nothing was kept."""
    path = folder / FILE
    if not path.exists():
        return {}
    runs = pd.read_parquet(path).groupby(["variant", "seed"], observed=True, sort=False)
    return {(str(variant), int(str(seed))): _items(table) for (variant, seed), table in runs}


def _frame(items: ScoredItems) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "label": items.labels,
            "score": items.scores,
            "group": items.groups.astype(object),
            "unit": items.units.astype(object),
            "threshold": _column(items),
        }
    )


def _items(table: pd.DataFrame) -> ScoredItems:
    chosen = table.groupby("group", observed=True)["threshold"].first().dropna()
    one = chosen.nunique() == 1 and len(chosen) == table["group"].nunique()
    by_group = {str(group): float(value) for group, value in chosen.items()}
    return ScoredItems(
        labels=table["label"].to_numpy(dtype=np.int64),
        scores=table["score"].to_numpy(dtype=np.float64),
        groups=table["group"].to_numpy(dtype=np.str_),
        units=table["unit"].to_numpy(dtype=np.str_),
        threshold=None if chosen.empty else float(chosen.iloc[0]) if one else by_group,
    )


def _column(items: ScoredItems) -> float | list[float]:
    if items.threshold is None:
        return np.nan
    return [items.threshold_of(group) for group in items.groups.tolist()]
