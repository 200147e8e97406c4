"""Finds stamps: a ring, a frame in another colour than the writing, or a frame within a frame."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.page.frames import Frame
from handshift.page.word import Box, Word

_WITHIN = 0.6
"""Share of a mark that lies in a stamp from which on it belongs to it: pieces of a turned frame stand out."""
_TOGETHER = 0.3
"""Distance of the pieces of one stamp, in sides of the larger one."""
_GROWN = 1.4
"""Largest side of a stamp with another piece, relative to the larger one, and of that piece to the stamp."""
_COLOUR = 22.0
"""Distance in CIE Lab between a stamp's ink and that of the writing; a frame of a form is nearer."""


def find_stamps(words: Sequence[Word], frames: Sequence[Frame], image: NDArray[np.uint8]) -> list[Box]:
    """Find the stamps of a page; a patchy frame comes in pieces, and those near each other are one stamp.

    Args:
        words: Words of the page, boxes in pixels of `image`.
        frames: Its large outlines.
        image: RGB pixels.
    """
    found: list[Box] = []
    stamps = [frame.box for frame in frames if _is_stamp(frame, frames, words, image)]
    pieces = [*stamps, *(frame.box for frame in frames if frame.ink is None)]
    for stamp in stamps:
        reach = _TOGETHER * max(stamp.width, stamp.height)
        for other in [*found, *pieces]:
            joint = _around(stamp, other)
            near = stamp.apart(other) < reach and _sides(joint) <= _GROWN * max(_sides(stamp), _sides(other))
            if near and _sides(other) <= _GROWN * _sides(stamp) and not _too_large(joint, image):
                stamp = joint
        found = [*(other for other in found if _share_within(other, stamp) < 1), stamp]
    return found


def words_in_stamps(words: Sequence[Word], stamps: Sequence[Box], image: NDArray[np.uint8]) -> list[int]:
    """Words that lie in a stamp, and those beside it in its colour, if that is not the writing's."""
    within = [any(belongs(word.box, stamp) for stamp in stamps) for word in words]
    found = [at for at, inside in enumerate(within) if inside]
    if not stamps:
        return found
    usual = _usual_colour([word.box for word, inside in zip(words, within, strict=True) if not inside], image)
    if usual is None:
        return found
    for stamp in stamps:
        own = _ink_colour(image, stamp)[1:]
        reach = _TOGETHER * max(stamp.width, stamp.height)
        for at, word in enumerate(words):
            if not within[at] and np.linalg.norm(own - usual) > _COLOUR and word.box.apart(stamp) < reach:
                colour = _ink_colour(image, word.box)[1:]
                if np.linalg.norm(colour - own) < np.linalg.norm(colour - usual):
                    found.append(at)
    return found


def _is_stamp(frame: Frame, frames: Sequence[Frame], words: Sequence[Word], image: NDArray[np.uint8]) -> bool:
    """A ring, a frame in another colour than the writing, or a frame within a frame."""
    if frame.rule or _too_large(frame.box, image):
        return False
    if frame.round:
        return True
    if frame.ink is None and any(
        other is not frame
        and other.ink is None
        and _inside(other.box, frame.box)
        and _nearly(other.box, frame.box)
        for other in frames
    ):
        return True
    usual = _usual_colour([word.box for word in words if not _inside(word.box, frame.box)], image)
    return usual is not None and bool(np.linalg.norm(_ink_colour(image, frame.box)[1:] - usual) > _COLOUR)


def _usual_colour(boxes: Sequence[Box], image: NDArray[np.uint8]) -> NDArray[np.float64] | None:
    """Median a and b of the ink in the first forty boxes; None where there are fewer than five."""
    if len(boxes) < 5:
        return None
    return np.asarray(np.median([_ink_colour(image, box)[1:] for box in boxes[:40]], axis=0), np.float64)


def _ink_colour(image: NDArray[np.uint8], box: Box) -> NDArray[np.float64]:
    """Mean Lab of the darkest twelfth of a box."""
    patch = image[box.y : box.y + box.height, box.x : box.x + box.width]
    step = max(1, round(np.sqrt(patch.shape[0] * patch.shape[1] / 20_000)))
    lab = cv2.cvtColor(
        np.ascontiguousarray(patch[::step, ::step]).astype(np.float32) / 255, cv2.COLOR_RGB2LAB
    )
    flat = lab.reshape(-1, 3)
    return np.asarray(flat[flat[:, 0] <= np.percentile(flat[:, 0], 8)].mean(axis=0), np.float64)


def _inside(box: Box, other: Box) -> bool:
    x, y = box.x + box.width / 2, box.y + box.height / 2
    within = other.x < x < other.x + other.width and other.y < y < other.y + other.height
    return within and box.width <= other.width and box.height <= other.height


def belongs(box: Box, stamp: Box) -> bool:
    """Whether a mark lies in a stamp for the greater part."""
    return _share_within(box, stamp) >= _WITHIN


def _share_within(box: Box, other: Box) -> float:
    """Share of a box that lies in another."""
    across = min(box.x + box.width, other.x + other.width) - max(box.x, other.x)
    down = min(box.y + box.height, other.y + other.height) - max(box.y, other.y)
    return max(0, across) * max(0, down) / max(1, box.width * box.height)


def _around(one: Box, other: Box) -> Box:
    """The box around two."""
    x, y = min(one.x, other.x), min(one.y, other.y)
    right = max(one.x + one.width, other.x + other.width)
    return Box(x, y, right - x, max(one.y + one.height, other.y + other.height) - y)


def _sides(box: Box) -> int:
    return max(box.width, box.height)


def _too_large(box: Box, image: NDArray[np.uint8]) -> bool:
    """Whether a box is larger than a stamp on this page."""
    height, width = image.shape[:2]
    return max(box.width / width, box.height / height) > 0.45


def _nearly(box: Box, other: Box) -> bool:
    return box.width > 0.6 * other.width and box.height > 0.6 * other.height
