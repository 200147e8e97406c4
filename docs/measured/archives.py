"""Stores that were killed while they were made, from results/restarts.json."""

from __future__ import annotations

from measured.markdown import Tree


def restarts_text(results: Tree) -> str:
    """In how many rounds the store was that of an uninterrupted run."""
    return (
        "Killed with `kill -9` at a random moment and run again, `index` left the segments of an "
        f"uninterrupted run, byte by byte, in {results['equal']} of {results['kills']} rounds "
        f"({results['pages']} drawn pages, {results['segments']} segments). "
        "Command: `python benchmarks/restarts.py`."
    )
