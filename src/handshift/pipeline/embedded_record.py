"""Embedded pages and files as JSON values, so that a run that was stopped need not embed them again."""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.calibration.scope import Scope
from handshift.core.arrays import Floats
from handshift.page.view import View
from handshift.page.word import Box, Page, Word
from handshift.page.word_kind import WordKind
from handshift.pipeline.embed_files import Embedded, Origin
from handshift.pipeline.embed_page import EmbeddedPage

_NO_INK = np.zeros((1, 1), np.uint8)


def without_pixels(embedded: EmbeddedPage) -> EmbeddedPage:
    """The page without its pixels, which take 25 MB and which nobody needs once its words are embedded."""
    page = embedded.page
    words = tuple(replace(word, ink=_NO_INK) for word in page.words)
    return replace(embedded, page=replace(page, image=_blank(page.image.shape), words=words))


def page_to_record(embedded: EmbeddedPage) -> dict[str, Any]:
    """A page without its pixels, as JSON values."""
    page = embedded.page
    words = [
        [list(map(int, word.box)), int(word.line), word.text, bool(word.cut_off), word.kind.value]
        for word in page.words
    ]
    about = {
        "number": page.number,
        "letter_size": float(page.letter_size),
        "sheet_width": int(page.sheet_width),
        "column_width": None if page.column_width is None else int(page.column_width),
        "view": page.view.record(),
        "shape": list(page.image.shape),
        "legible": [bool(one) for one in embedded.legible],
        "warnings": list(embedded.warnings),
        "scope": embedded.scope.record(),
    }
    return about | {"words": words, "vectors": _packed(embedded.vectors), "sizes": _known(embedded.sizes)}


def page_from_record(record: dict[str, Any], source: Path, sha256: str) -> EmbeddedPage:
    """Inverse of `page_to_record`.

    Raises:
        KeyError, TypeError, ValueError: The record is incomplete.
    """
    words = tuple(
        Word(Box(*box), line, _NO_INK, text, cut_off, WordKind(kind))
        for box, line, text, cut_off, kind in record["words"]
    )
    page = Page(
        _blank(tuple(record["shape"])),
        words,
        source,
        sha256,
        record["number"],
        record["letter_size"],
        record["sheet_width"],
        record["column_width"],
        View.from_record(record["view"]),
    )
    legible, scope = np.array(record["legible"], bool), Scope.from_record(record["scope"])
    warnings, sizes = tuple(record["warnings"]), _sizes(record.get("sizes"))
    return EmbeddedPage(page, legible, _unpacked(record["vectors"]), warnings, scope, sizes)


def file_to_record(embedded: Embedded) -> dict[str, Any]:
    """The vectors of a file and where they come from, without its words' pictures."""
    origins = [[one.sha256, one.number, one.words, one.size] for one in embedded.origins]
    return {
        "origins": origins,
        "warnings": list(embedded.warnings),
        "scope": embedded.scope.record(),
        "pages": embedded.pages,
        "vectors": _packed(embedded.weighed),
    }


def file_from_record(record: dict[str, Any], source: Path) -> Embedded:
    """Inverse of `file_to_record`; its words have no ink.

    Raises:
        KeyError, TypeError, ValueError: The record is incomplete.
    """
    vectors = _unpacked(record["vectors"])
    words = tuple(Word(Box(0, 0, 1, 1), 0, _NO_INK) for _ in vectors)
    origins = tuple(Origin(source, *about) for about in record["origins"])
    scope = Scope.from_record(record["scope"])
    return Embedded(vectors, words, origins, tuple(record["warnings"]), scope, bool(record["pages"]))


def _known(sizes: Floats) -> list[float]:
    """Sizes as JSON has them; none where the resolution is not known, which holds for all words of a page."""
    return [float(size) for size in sizes if np.isfinite(size)]


def _sizes(known: list[float] | None) -> Floats:
    return np.array(known or (), np.float64)


def _blank(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """White pixels that take no memory."""
    return np.broadcast_to(np.uint8(255), shape)


def _packed(vectors: NDArray[np.float32]) -> list[Any]:
    return [list(vectors.shape), b64encode(np.ascontiguousarray(vectors, np.float32).tobytes()).decode()]


def _unpacked(packed: list[Any]) -> NDArray[np.float32]:
    shape, content = packed
    return np.frombuffer(b64decode(content), np.float32).reshape(shape).copy()
