"""Equal words and letters as data and picture files of a PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handshift.report.equal_words import EqualWords
from handshift.report.write_image import write_image


class EqualFigures:
    """Collects the pictures of a report, so that they are written when its folder is there."""

    def __init__(self) -> None:
        self._pictures: list[NDArray[np.uint8]] = []

    def add(self, equal: EqualWords | None) -> dict[str, Any] | None:
        """What the template sets, pictures named by their files; None where there is nothing."""
        if not equal:
            return None
        return {
            "names": equal.names,
            "words": [
                {"text": one.text, "files": [self._file(part) for part in (one.one, one.two, one.over)]}
                for one in equal.words
            ],
            "letters": [
                {"text": one.text, "within": one.within, "file": self._file(one.picture)}
                for one in equal.letters
            ],
        }

    def draw(self, folder: Path) -> None:
        """Write the pictures."""
        for number, picture in enumerate(self._pictures, 1):
            write_image(folder / f"equal-{number}.png", picture)

    def _file(self, picture: NDArray[np.uint8]) -> str:
        self._pictures.append(picture)
        return f"equal-{len(self._pictures)}.png"
