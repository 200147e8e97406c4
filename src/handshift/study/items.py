"""The scored items of a run, kept as Parquet beside its figures."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd

from handshift.core.atomic import write_bytes
from handshift.study.task import ScoredItems

FILE = "items.parquet"


def save_items(folder: Path, items: ScoredItems) -> None:
    """Write one row per item: label, score, group, unit, threshold."""
    table = pd.DataFrame(
        {
            "label": items.labels,
            "score": items.scores,
            "group": items.groups.astype(object),
            "unit": items.units.astype(object),
            "threshold": _column(items),
        }
    )
    buffer = io.BytesIO()
    table.to_parquet(buffer, index=False)
    write_bytes(folder / FILE, buffer.getvalue())


def load_items(folder: Path) -> ScoredItems | None:
    """Read what ``save_items`` wrote; None where a run has figures only."""
    path = folder / FILE
    if not path.exists():
        return None
    table = pd.read_parquet(path)
    chosen = table.groupby("group")["threshold"].first().dropna()
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
