"""Everyday conditions: what happens to a page between the desk and the program, drawn on a clean scan."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray
from wild_marks import (
    across_letters,
    bleed_through,
    form,
    inserted,
    ruled,
    stamp_and_signature,
    struck_out,
    two_pens,
)
from wild_pages import Image, Writing, words_of

Draw = np.random.Generator


def turned(degrees: int) -> Callable[[Writing, Draw], Image]:
    """A scan turned by quarters."""
    return lambda page, draw: np.ascontiguousarray(np.rot90(page.image, degrees // 90))


def skewed(page: Writing, draw: Draw) -> Image:
    """A sheet that lay askew on the scanner by up to 10°."""
    angle = float(draw.uniform(2, 10) * draw.choice([-1, 1]))
    height, width = page.image.shape[:2]
    paper = tuple(map(int, np.percentile(page.image.reshape(-1, 3), 80, axis=0)))
    there = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    cosine, sine = abs(there[0, 0]), abs(there[0, 1])
    size = (int(width * cosine + height * sine), int(height * cosine + width * sine))
    there[:, 2] += (size[0] - width) / 2, (size[1] - height) / 2
    return np.asarray(cv2.warpAffine(page.image, there, size, borderValue=paper), np.uint8)


def resolution(dpi: int) -> Callable[[Writing, Draw], Image]:
    """The 150-dpi scan resampled."""

    def resampled(page: Writing, draw: Draw) -> Image:
        how = cv2.INTER_AREA if dpi < 150 else cv2.INTER_CUBIC
        return np.asarray(
            cv2.resize(page.image, None, fx=dpi / 150, fy=dpi / 150, interpolation=how), np.uint8
        )

    return resampled


def photo(page: Writing, draw: Draw, slant: float = 0.012, enlarge: float = 1.6) -> Image:
    """A photo on a table: dark ground, the sheet a little aslant, noise, JPEG."""
    height, width = page.image.shape[:2]
    edge = draw.uniform(0.05, 0.14, 4)
    size = (int(width * enlarge * (1 + edge[0] + edge[1])), int(height * enlarge * (1 + edge[2] + edge[3])))
    ground = _table(size, draw)
    left, top = edge[0] * width * enlarge, edge[2] * height * enlarge
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    there = corners * enlarge + (left, top) + draw.normal(0, slant * width * enlarge, (4, 2))
    limits = np.array(size, float) - 2
    there = np.clip(there, 1, limits).astype(np.float32)
    matrix = cv2.getPerspectiveTransform(corners, there)
    sheet = cv2.warpPerspective(page.image, matrix, size, flags=cv2.INTER_CUBIC)
    mask = cv2.warpPerspective(np.full((height, width), 255, np.uint8), matrix, size)
    picture = np.where(mask[..., None] > 127, sheet, ground).astype(np.float32)
    picture += draw.normal(0, 3, (*picture.shape[:2], 1))
    return jpeg(np.clip(picture, 0, 255).astype(np.uint8), 85)


def perspective(page: Writing, draw: Draw) -> Image:
    """A photo from the side: the sheet's far edge is shorter."""
    return photo(page, draw, slant=0.045)


def shadow(page: Writing, draw: Draw) -> Image:
    """Uneven light and the shadow of a hand or a phone, with a soft but visible edge."""
    return shaded(page.image, draw)


def photo_with_shadow(page: Writing, draw: Draw) -> Image:
    """Both together."""
    return shaded(photo(page, draw), draw)


def shaded(image: Image, draw: Draw) -> Image:
    """Lay a shadow over a picture."""
    height, width = image.shape[:2]
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / max(height, width)
    angle = draw.uniform(0, 2 * np.pi)
    along = x * np.cos(angle) + y * np.sin(angle)
    along = (along - along.min()) / (along.max() - along.min())
    edge, soft = draw.uniform(0.3, 0.7), draw.uniform(0.01, 0.05)
    light = 1 - draw.uniform(0.35, 0.6) / (1 + np.exp(-(along - edge) / soft))
    light *= 1 - 0.15 * (1 - along)
    return np.asarray(np.clip(image * light[..., None], 0, 255), np.uint8)


def yellow(page: Writing, draw: Draw) -> Image:
    """Old paper: yellow, with blotches."""
    height, width = page.image.shape[:2]
    blotches = cv2.resize(
        draw.normal(0, 1, (12, 9)).astype(np.float32), (width, height), interpolation=cv2.INTER_CUBIC
    )
    paper = np.array([0.93, 0.85, 0.62]) * (1 + 0.05 * blotches[..., None])
    return np.asarray(np.clip(page.image * paper, 0, 255), np.uint8)


def jpeg(image: Image, quality: int) -> Image:
    """Compress and read again."""
    _, content = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(content, cv2.IMREAD_COLOR), np.uint8)


def fax(page: Writing, draw: Draw) -> Image:
    """Fine fax: 204 × 196 dpi in black and white, with speckles."""
    grey = cv2.cvtColor(page.image, cv2.COLOR_RGB2GRAY)
    large = cv2.resize(grey, None, fx=204 / 150, fy=196 / 150, interpolation=cv2.INTER_LINEAR)
    level = float(np.percentile(large, 80)) * 0.72
    black = large < level
    black ^= draw.random(black.shape) < 0.0008
    return np.repeat(np.where(black, 0, 255).astype(np.uint8)[..., None], 3, axis=2)


def few_words(page: Writing, draw: Draw) -> Image:
    """The end of the page, with 4 to 13 words: on a page by two hands, some of either."""
    found = words_of(page.image)
    wanted = int(draw.integers(4, 14))
    lines = sorted({word.line for word in found.words})
    height = page.image.shape[0]
    middle = lines[len(lines) // 2] if len(lines) > 1 else lines[0]
    if page.two_hands:  # around the seam, which lies in the lower half
        middle = lines[max(0, int(0.7 * len(lines)) - 1)]
    kept = [word for word in found.words if word.line >= middle][:wanted]
    box = [min(word.box.y for word in kept), max(word.box.y + word.box.height for word in kept)]
    part = page.image[max(0, box[0] - 12) : min(height, box[1] + 12)].copy()
    paper = np.percentile(part.reshape(-1, 3), 80, axis=0)
    chosen = {id(word) for word in kept}
    for word in found.words:
        x, y, width, high = word.box
        if id(word) not in chosen and y + high > box[0] - 12 and y < box[1] + 12:
            top = max(0, y - max(0, box[0] - 12))
            part[top : max(0, y + high - max(0, box[0] - 12)), x : x + width] = paper
    sheet = np.full_like(page.image, paper.astype(np.uint8))
    sheet[150 : 150 + part.shape[0]] = part[: sheet.shape[0] - 150]
    return sheet


def _table(size: tuple[int, int], draw: Draw) -> NDArray[np.float32]:
    """A dark ground with grain."""
    colour = np.array([[92, 62, 40], [60, 60, 64], [120, 88, 60], [36, 40, 48]])[draw.integers(4)]
    grain = cv2.resize(
        draw.normal(0, 1, (size[1] // 6, 5)).astype(np.float32), size, interpolation=cv2.INTER_CUBIC
    )
    return np.asarray(np.clip(colour + 14 * grain[..., None], 0, 255), np.float32)


CONDITIONS: dict[str, Callable[[Writing, Draw], Image]] = {
    "plain": lambda page, draw: page.image,
    "turned 90°": turned(90),
    "turned 180°": turned(180),
    "turned 270°": turned(270),
    "skewed": skewed,
    "100 dpi": resolution(100),
    "200 dpi": resolution(200),
    "300 dpi": resolution(300),
    "400 dpi": resolution(400),
    "600 dpi": resolution(600),
    "photo": photo,
    "shadow": shadow,
    "photo with shadow": photo_with_shadow,
    "perspective": perspective,
    "yellow": yellow,
    "ruled": ruled,
    "form": form,
    "struck out": struck_out,
    "stamp and signature": stamp_and_signature,
    "two pens": two_pens,
    "bleed-through": bleed_through,
    "JPEG 40": lambda page, draw: jpeg(page.image, 40),
    "fax": fax,
    "insertion": inserted,
    "insertion across letters": across_letters,
    "4 to 13 words": few_words,
}
"""By name: draws the page as it is brought; "plain" is the 150-dpi scan."""
