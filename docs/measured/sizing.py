"""What archives of a million and of a hundred million pages need, from measured inputs."""

from __future__ import annotations

from measured.markdown import Tree, row
from measured.sources import is_quiet

PROBED = 0.24
"""Share of the lists that a query of more than a million hands looks into."""
SIZES = (1_000_000, 100_000_000)
PRICE = 0.04
"""Assumed price of a core hour in US dollars; nobody measured it."""
HANDS = 1.1
"""Assumed hands of eight words or more on a page."""
DAY, WEEK = 86_400, 604_800


def inputs_text(engine: Tree, find: Tree, nearest: Tree) -> str:
    """The measured figures that the sizes follow from."""
    inputs = _inputs(engine, find, nearest)
    rows = {
        "processor seconds to examine a drawn sheet at 150 dpi": (f"{inputs['c']:.2f}", engine),
        "memory of a worker, and its share of the caller": (f"{inputs['worker_mb']:.0f} MB", engine),
        "findings of a page as Parquet": (f"{inputs['parquet_kb']:.1f} KB", engine),
        "a scan in the store, thumbnail and index included": (f"{inputs['store_kb']:.1f} KB", find),
        "of this, the index": (f"{inputs['index_kb']:.2f} KB", find),
        f"query among {nearest['words']:,} vectors": (f"{inputs['query_ms']:.0f} ms", nearest),
        f"building the index of {nearest['words']:,} vectors": (f"{inputs['build_s']:.0f} s", nearest),
    }
    lines = [row("input", ["measured", "by"]), row("---", ["---", "---"])]
    lines += [row(name, [value, f"`{result['command']}`"]) for name, (value, result) in rows.items()]
    busy = [str(result["command"]) for result in (engine, find, nearest) if not is_quiet(result)]
    if busy:
        lines += [
            "",
            f"The machine was busy during {', '.join(f'`{one}`' for one in busy)}; times are upper bounds.",
        ]
    return "\n".join(lines)


def sizing_text(engine: Tree, find: Tree, nearest: Tree) -> str:
    """The arithmetic for each size; what is extrapolated says so."""
    inputs = _inputs(engine, find, nearest)
    c = inputs["c"]
    rows = {
        "processor time to examine": [f"{c * pages / DAY:,.1f} core days" for pages in SIZES],
        "cores to examine all in a week": [f"{c * pages / WEEK:,.1f}" for pages in SIZES],
        "memory of those workers": [
            f"{inputs['worker_mb'] * c * pages / WEEK / 1000:,.1f} GB" for pages in SIZES
        ],
        "findings as Parquet": [_bytes(inputs["parquet_kb"] * pages) for pages in SIZES],
        "store with thumbnails": [_bytes(inputs["store_kb"] * pages) for pages in SIZES],
        "of this, the index, mapped": [_bytes(inputs["index_kb"] * pages) for pages in SIZES],
        "query, first stage (rows × a fixed share: linear)": [
            f"{inputs['query_ms'] * HANDS * pages / nearest['words']:,.0f} ms" for pages in SIZES
        ],
        "building the index (rows × lists: n^1.5)": [
            _time(inputs["build_s"] * (HANDS * pages / nearest["words"]) ** 1.5) for pages in SIZES
        ],
        f"examining, at an assumed ${PRICE} a core hour": [
            f"${c * pages / 3600 * PRICE:,.0f}" for pages in SIZES
        ],
    }
    lines = [row("", ["1 million pages", "100 million pages"]), row("---", ["---", "---"])]
    return "\n".join([*lines, *(row(name, cells) for name, cells in rows.items())])


def _inputs(engine: Tree, find: Tree, nearest: Tree) -> dict[str, float]:
    full = engine["throughput"]
    kept = nearest["inverted_file"]
    return {
        "c": full["local"]["cpu_seconds_a_page"],
        "worker_mb": max(max(run["mb_at_each_tenth"]) for run in full["runs"]["local"]) / engine["workers"],
        "parquet_kb": full["findings"]["kilobytes_a_page"],
        "store_kb": find["store"]["kilobytes_a_page"],
        "index_kb": find["store"]["index_kilobytes_a_page"],
        "query_ms": kept[f"probed_{PROBED:g}"]["ms"],
        "build_s": kept["build_seconds"],
    }


def _bytes(kilobytes: float) -> str:
    return f"{kilobytes / 1e9:,.1f} TB" if kilobytes >= 1e9 else f"{kilobytes / 1e6:,.1f} GB"


def _time(seconds: float) -> str:
    if seconds < 3600:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.0f} h" if seconds < 100 * 3600 else f"{seconds / DAY:,.0f} days"
