"""Writes a synthetic page and its ground truth."""

from __future__ import annotations

import json
from pathlib import Path

import cv2

from handshift.core.atomic import write_bytes, write_text
from handshift.core.errors import CorpusError
from handshift.corpus.scribes.page import ScribedPage
from handshift.page.synthetic_mark import mark_synthetic


def save_page(page: ScribedPage, path: Path | str) -> Path:
    """Write the image as PNG, marked as synthetic, and the words beside it as JSON.

    The JSON is written first: an image that exists always has its ground truth.

    Args:
        page: The page.
        path: The PNG file to write.

    Returns:
        The path of the JSON file.

    Raises:
        CorpusError: The name does not end in ``.png``.
        WriteError: A file cannot be written.
    """
    path = Path(path)
    if path.suffix.lower() != ".png":
        raise CorpusError(f"{path}: scribed pages are saved as PNG; end the name in .png")
    done, png = cv2.imencode(".png", page.image[:, :, ::-1])
    if not done:
        raise CorpusError(f"{path}: the page cannot be encoded as PNG")
    truth = path.with_suffix(".json")
    write_text(truth, ground_truth(page))
    write_bytes(path, mark_synthetic(png.tobytes()))
    return truth


def ground_truth(page: ScribedPage) -> str:
    """The ground truth as JSON, one line for each word."""
    words = [
        {
            "box": list(word.box),
            "line": word.line,
            "text": word.text,
            "scribe": word.scribe,
            "session": word.session,
        }
        for word in page.words
    ]
    rows = ",\n".join(json.dumps(word, ensure_ascii=False) for word in words)
    return f'{{"dpi": {json.dumps(page.dpi)}, "words": [\n{rows}\n]}}\n'
