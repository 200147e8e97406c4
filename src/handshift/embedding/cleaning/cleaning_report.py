"""Files of a cleaning: contact sheet, tables, figures, and the manifest of the files left."""

from __future__ import annotations

import base64
import csv
import io
import json
from html import escape
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import write_text
from handshift.corpus.manifest import Corpus
from handshift.embedding.cleaning.angles import Angles
from handshift.embedding.crops.collection import WordCollection

MOST = 300
"""Pictures shown: browsers are slow with more."""
TYPICAL = 3
_STYLE = """body{font:14px system-ui,sans-serif;margin:2em;color:#222;background:#fff}
table{border-collapse:collapse}td,th{padding:.3em .8em;border-bottom:1px solid #ddd;text-align:left}
img{height:48px;background:#fff}small{color:#666}"""


def contact_sheet(words: WordCollection, angles: Angles, far: NDArray[np.int64], limit: float) -> str:
    """Render the pictures that may be mislabelled beside typical ones of the same writer.

    Args:
        words: All crops.
        angles: Angles of the training pictures.
        far: Indices into `angles`, in the order shown.
        limit: The angle they exceed, in degrees.

    Returns:
        One self-contained HTML page.
    """
    typical = _typical(words, angles)
    lines = [_line(words, angles, int(at), typical) for at in far[:MOST]]
    shown = f"the {MOST} furthest of {far.size}" if far.size > MOST else f"all {far.size}"
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>handshift: mislabelled?</title>
<style>{_STYLE}</style><h1>Mislabelled?</h1>
<p>Pictures further than {limit:g}° from where most of their writer's pictures lie:
{shown}, the furthest first. Some are mislabelled; others are blots, fragments,
or words unlike the rest by the same hand.</p>
<table><tr><th>picture<th>filed under<th>typical of that writer<th>angle<th>nearest other<th>file</tr>
{"".join(lines)}</table></html>
"""


def _line(words: WordCollection, angles: Angles, at: int, typical: dict[str, list[int]]) -> str:
    row = angles.rows[at]
    writer, page = str(words.writer[row]), escape(str(words.page[row]))
    examples = " ".join(_picture(words.crops[other]) for other in typical[writer])
    near = f"{escape(str(angles.nearest[at]))}, {angles.nearest_angle[at]:.0f}°"
    return (
        f"<tr><td>{_picture(words.crops[row])}<td>{escape(writer)}<td>{examples}<td>{angles.angle[at]:.0f}°"
        f"<td>{near}<td><small>{page}, row {row}</small></tr>\n"
    )


def _typical(words: WordCollection, angles: Angles) -> dict[str, list[int]]:
    """Each writer's pictures nearest to the dominant centre."""
    found: dict[str, list[int]] = {}
    for row in angles.rows[np.argsort(angles.angle, kind="stable")]:
        known = found.setdefault(str(words.writer[row]), [])
        if len(known) < TYPICAL:
            known.append(int(row))
    return found


def _picture(crop: NDArray[np.uint8]) -> str:
    columns = np.flatnonzero(crop.any(axis=0))
    first, last = (max(0, columns[0] - 4), columns[-1] + 5) if columns.size else (0, crop.shape[1])
    png = cv2.imencode(".png", 255 - crop[:, first:last])[1].tobytes()
    return f'<img alt="" src="data:image/png;base64,{base64.b64encode(png).decode()}">'


SUMMARY, MISLABELLED, SHEET, KEPT = "cleaning.json", "mislabelled.csv", "mislabelled.html", "kept.csv"


def write_findings(out: Path, corpus: Corpus, words: WordCollection, angles: Angles, limit: float) -> str:
    """Write all four files into `out`.

    Args:
        out: Folder of the cleaning.
        corpus: The corpus that was cleaned.
        words: Its crops.
        angles: Angles of the training pictures.
        limit: Pictures beyond this angle count as dropped.

    Returns:
        One sentence with the outcome.
    """
    far = angles.beyond(limit)
    dropped_files = set(_mostly_dropped(words, angles.rows, angles.rows[far]))
    write_text(out / MISLABELLED, angles.table(words, far))
    write_text(out / SHEET, contact_sheet(words, angles, far, limit))
    write_text(out / KEPT, _manifest(corpus, dropped_files))
    summary = {
        "angle": limit,
        "judged": int(angles.rows.size),
        "dropped": int(far.size),
        "share_dropped": round(far.size / max(1, angles.rows.size), 4),
        "files_left_out": len(dropped_files),
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


def _mostly_dropped(words: WordCollection, rows: NDArray[np.int64], dropped: NDArray[np.int64]) -> list[str]:
    """Files of which more than half of the pictures are dropped."""
    names, total = np.unique(words.page[rows], return_counts=True)
    some, lost = np.unique(words.page[dropped], return_counts=True)
    return [str(name) for name in some[2 * lost > total[np.searchsorted(names, some)]]]


def _manifest(corpus: Corpus, dropped: set[str]) -> str:
    """Manifest of the corpus without these files; paths are relative to the corpus's folder."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("path", "writer", "session", "prompt"))
    for sample in corpus.samples:
        path = sample.path.relative_to(corpus.root).as_posix()
        if path not in dropped:
            writer.writerow((path, sample.writer, sample.session, sample.prompt))
    return buffer.getvalue()


def _counts(writers: NDArray[np.str_]) -> dict[str, int]:
    names, counts = np.unique(writers, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return {str(names[at]): int(counts[at]) for at in order}
