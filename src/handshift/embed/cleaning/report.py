"""What a cleaning found: figures, tables, and the manifest of what is left."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from handshift.atomic import write_text
from handshift.corpus.manifest import Corpus
from handshift.embed.cleaning.angles import Angles
from handshift.embed.cleaning.sheet import contact_sheet
from handshift.embed.collection import WordCollection

SUMMARY, MISLABELLED, SHEET, KEPT = "cleaning.json", "mislabelled.csv", "mislabelled.html", "kept.csv"


def write_findings(out: Path, corpus: Corpus, words: WordCollection, angles: Angles, limit: float) -> str:
    """Write all four files into `out`; one sentence that tells the outcome."""
    far = angles.beyond(limit)
    gone = set(_mostly(words, angles.rows, angles.rows[far]))
    write_text(out / MISLABELLED, angles.table(words, far))
    write_text(out / SHEET, contact_sheet(words, angles, far, limit))
    write_text(out / KEPT, _manifest(corpus, gone))
    summary = {
        "angle": limit,
        "judged": int(angles.rows.size),
        "dropped": int(far.size),
        "share_dropped": round(far.size / max(1, angles.rows.size), 4),
        "files_left_out": len(gone),
        "angle_percentiles": {
            str(q): round(float(np.percentile(angles.angle, q)), 1) for q in (5, 25, 50, 75, 95)
        },
        "dropped_by_writer": _counts(words.writer[angles.rows[far]]),
    }
    write_text(out / SUMMARY, json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    return (
        f"{far.size} of {angles.rows.size} pictures lie further than {limit:g}° from their writer's dominant "
        f"centre: {out / SHEET} shows them, {out / MISLABELLED} lists them"
    )


def _mostly(words: WordCollection, rows: NDArray[np.int64], dropped: NDArray[np.int64]) -> list[str]:
    """Files more than half of whose pictures are dropped; a file of one picture goes with it."""
    names, total = np.unique(words.page[rows], return_counts=True)
    some, lost = np.unique(words.page[dropped], return_counts=True)
    return [str(name) for name in some[2 * lost > total[np.searchsorted(names, some)]]]


def _manifest(corpus: Corpus, gone: set[str]) -> str:
    """A manifest of the corpus without these files; its paths begin at the corpus's folder."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("path", "writer", "session", "prompt"))
    for sample in corpus.samples:
        path = sample.path.relative_to(corpus.root).as_posix()
        if path not in gone:
            writer.writerow((path, sample.writer, sample.session, sample.prompt))
    return buffer.getvalue()


def _counts(writers: NDArray[np.str_]) -> dict[str, int]:
    names, counts = np.unique(writers, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return {str(names[at]): int(counts[at]) for at in order}
