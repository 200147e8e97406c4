"""What people leave on a page besides its text: strike-outs, stamps, print, insertions, drawings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pictures
from PIL import ImageDraw, ImageFont
from wild_pages import SHEET, Image, Writing, words_of

from handshift.corpus.scribes.texts import ENGLISH
from handshift.page.word import Box, Word

Draw = np.random.Generator
Face = ImageFont.FreeTypeFont
FACES = ("DejaVuSans", "DejaVuSerif", "DejaVuSansMono", "STIXGeneral", "cmr10", "DejaVuSans-Bold")


def struck_out(page: Writing, draw: Draw) -> Image:
    """Three to six words crossed out with one line, two, or a zigzag."""
    return struck(page.image, draw)[0]


def struck(image: Image, draw: Draw) -> tuple[Image, list[Box]]:
    """Cross words out; their boxes beside the picture."""
    image = image.copy()
    words = [word for word in words_of(image).words if word.box.width > 1.2 * word.box.height]
    boxes = []
    for at in draw.choice(len(words), min(len(words), int(draw.integers(3, 7))), replace=False):
        box = words[at].box
        points = _strike(box, draw)
        cv2.polylines(image, [points], False, _ink(image, box), max(2, round(box.height / 18)), cv2.LINE_AA)
        boxes.append(box)
    return image, boxes


def _strike(box: Box, draw: Draw) -> np.ndarray:
    kind = draw.integers(3)
    x = np.linspace(box.x - 6, box.x + box.width + 6, 24)
    middle, reach = box.y + 0.55 * box.height, 0.12 * box.height
    if kind == 0:
        y = middle + reach * np.linspace(draw.uniform(-1, 1), draw.uniform(-1, 1), x.size)
    elif kind == 1:  # there and back
        x = np.concatenate([x, x[::-1]])
        y = middle + reach * np.concatenate([np.full(24, -0.8), np.full(24, 1.0)]) + draw.normal(0, 0.8, 48)
    else:
        turns = max(6, int(box.width / (0.35 * box.height)))
        x = np.linspace(box.x - 4, box.x + box.width + 4, turns)
        y = middle + 0.3 * box.height * np.where(np.arange(turns) % 2, 1, -1) + draw.normal(0, 2, turns)
    return np.column_stack([x, y]).astype(np.int32)


def _ink(image: Image, box: Box) -> tuple[int, int, int]:
    part = image[box.y : box.y + box.height, box.x : box.x + box.width].reshape(-1, 3)
    dark = part[part.sum(axis=1) <= np.percentile(part.sum(axis=1), 8)]
    red, green, blue = (int(value) for value in np.median(dark, axis=0))
    return red, green, blue


def stamp_and_signature(page: Writing, draw: Draw) -> Image:
    """A round or square stamp in colour below the text, and a signature with a flourish by the writer."""
    return stamped(page, draw)[0]


def stamped(page: Writing, draw: Draw) -> tuple[Image, Box, Box]:
    """Stamp and sign; boxes of stamp and signature beside the picture."""
    image, found = page.image, words_of(page.image)
    bottom = max((word.box.y + word.box.height for word in found.words), default=100)
    image = _lengthened(image, bottom + 340)
    side = int(draw.integers(180, 260))
    x, y = int(image.shape[1] * draw.uniform(0.1, 0.3)), bottom + 40
    colour = np.array([[40, 50, 150], [160, 30, 40], [90, 40, 120]][draw.integers(3)])
    mask = _stamp(side, draw)
    part = image[y : y + side, x : x + side].astype(np.float32)
    strength = 0.85 * mask[: part.shape[0], : part.shape[1], None] / 255
    image[y : y + side, x : x + side] = (part * (1 - strength) + colour * strength).astype(np.uint8)
    signature = _sign(image, page, found.words, (int(image.shape[1] * 0.55), bottom + 70), draw)
    return image, Box(x, y, side, side), signature


def _stamp(side: int, draw: Draw) -> np.ndarray:
    """255 where the stamp's ink is: two rings or frames, words within, patchy."""
    picture = Pictures.new("L", (side, side), 0)
    pen = ImageDraw.Draw(picture)
    face = _face(draw, max(12, side // 11))
    shape = pen.ellipse if draw.random() < 0.6 else pen.rectangle
    shape((4, 4, side - 4, side - 4), outline=255, width=max(3, side // 40))
    shape((side // 9, side // 9, side - side // 9, side - side // 9), outline=255, width=2)
    for row, text in enumerate(("REPUBLIC OF", "REGISTRY", "14 MAR 1996", "No. 2207")):
        pen.text((side / 2, side * (0.3 + 0.14 * row)), text, fill=255, font=face, anchor="mm")
    turned = picture.rotate(float(draw.uniform(-12, 12)))
    mask = np.asarray(turned, np.float32)
    patches = cv2.resize(
        draw.random((14, 14)).astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC
    )
    return np.asarray(mask * np.clip(0.5 + patches, 0.2, 1))


def _sign(image: Image, page: Writing, words: Sequence[Word], at: tuple[int, int], draw: Draw) -> Box:
    """A word of the writer at one and a half times its size, with a flourish through and below it."""
    wide = [word.box for word in words if word.box.width > 1.6 * word.box.height]
    x, y = at
    if not wide:
        return Box(x, y, 1, 1)
    box = wide[int(draw.integers(len(wide)))]
    crop = page.image[box.y : box.y + box.height, box.x : box.x + box.width]
    large = cv2.resize(crop, None, fx=1.5, fy=1.5, interpolation=cv2.INTER_CUBIC)
    large = large[: image.shape[0] - y, : image.shape[1] - x]
    part = image[y : y + large.shape[0], x : x + large.shape[1]]
    part[:] = np.minimum(part, large)
    height, width = large.shape[:2]
    t = np.linspace(0, 1, 60)
    curve = np.column_stack(
        [
            x - 0.1 * width + 1.25 * width * t + 0.12 * width * np.sin(5 * t),
            y + height * (0.95 - 0.35 * np.sin(2 * np.pi * t) + 0.25 * t),
        ]
    )
    cv2.polylines(image, [curve.astype(np.int32)], False, _ink(page.image, box), 3, cv2.LINE_AA)
    # The flourish is a part of the signature.
    left, top = np.floor(np.minimum(curve.min(axis=0), (x, y))).astype(int)
    right, bottom = np.ceil(np.maximum(curve.max(axis=0), (x + width, y + height))).astype(int)
    return Box(int(left), int(top), int(right - left), int(bottom - top))


def form(page: Writing, draw: Draw) -> Image:
    """The writing on a printed form: a heading, labels, lines of small print, boxes."""
    return filled_form(page, draw)[0]


def filled_form(page: Writing, draw: Draw) -> tuple[Image, list[Box]]:
    """Print round the writing; boxes of the printed words beside the picture."""
    found = words_of(page.image)
    bottom = max((word.box.y + word.box.height for word in found.words), default=100)
    above = 330
    image = _lengthened(page.image[: bottom + 20], bottom + 420)
    paper = tuple(int(v) for v in np.percentile(image.reshape(-1, 3), 80, axis=0))
    image = cv2.copyMakeBorder(image, above, 0, 0, 0, cv2.BORDER_CONSTANT, value=paper)
    picture = Pictures.fromarray(image)
    pen = ImageDraw.Draw(picture)
    boxes: list[Box] = []
    face, name = _face(draw, 34), draw.integers(len(FACES))
    width = picture.width
    _print(pen, "APPLICATION FOR RENEWAL", (int(0.12 * width), 50), face, boxes)
    small = _face(draw, 20, int(name))
    text = ENGLISH.split()
    for row in range(4):
        start = int(draw.integers(len(text) - 12))
        _print(pen, " ".join(text[start : start + 11]), (int(0.1 * width), 120 + 30 * row), small, boxes)
    for column, label in enumerate(("Name and address", "Date of birth", "Reference number")):
        x = int(width * (0.08 + 0.3 * column))
        pen.rectangle((x, 250, x + int(0.27 * width), 320), outline=(60, 60, 60), width=2)
        _print(pen, label, (x + 8, 256), small, boxes)
    for row in range(6):
        start = int(draw.integers(len(text) - 12))
        at = (int(0.1 * width), above + bottom + 60 + 30 * row)
        _print(pen, " ".join(text[start : start + 11]), at, small, boxes)
    return np.asarray(picture, np.uint8).copy(), boxes


def _print(pen: ImageDraw.ImageDraw, text: str, at: tuple[int, int], face: Face, boxes: list[Box]) -> None:
    x, y = at
    for word in text.split():
        pen.text((x, y), word, fill=(25, 25, 25), font=face)
        left, top, right, low = pen.textbbox((x, y), word, font=face)
        boxes.append(Box(int(left), int(top), int(right - left), int(low - top)))
        x = int(right + pen.textlength(" ", font=face)) + 1


def _face(draw: Draw, size: int, which: int | None = None) -> Face:
    import matplotlib

    name = FACES[int(draw.integers(len(FACES))) if which is None else which]
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / f"fonts/ttf/{name}.ttf", size)


def ruled(page: Writing, draw: Draw) -> Image:
    """Ruled or squared paper."""
    image = page.image.astype(np.float32)
    step, level = int(draw.integers(38, 60)), draw.uniform(0.65, 0.85)
    colour = np.array([[0.8, 0.9, 1.0], [0.9, 0.9, 0.9], [1.0, 0.85, 0.85]])[draw.integers(3)] * level
    for y in range(step, image.shape[0], step):
        image[y : y + 2] = np.minimum(image[y : y + 2], 255 * colour)
    if draw.random() < 0.4:
        for x in range(step, image.shape[1], step):
            image[:, x : x + 2] = np.minimum(image[:, x : x + 2], 255 * colour)
    return image.astype(np.uint8)


def two_pens(page: Writing, draw: Draw) -> Image:
    """The lower part in another ink with a broader stroke, by whoever wrote it."""
    image = page.image.copy()
    words = words_of(page.image).words
    if not words:
        return image
    seam = int(np.quantile([word.box.y for word in words], draw.uniform(0.35, 0.65)))
    part = cv2.erode(image[seam:], np.ones((2, 2), np.uint8))
    ink = 1 - part.astype(np.float32).mean(axis=2, keepdims=True) / np.percentile(image, 80)
    colour = np.array([[30, 40, 140], [120, 30, 30], [20, 90, 60]])[draw.integers(3)]
    paper = np.percentile(image.reshape(-1, 3), 80, axis=0)
    ink = np.clip(ink, 0, 1)
    image[seam:] = np.clip(paper * (1 - ink) + colour * ink, 0, 255).astype(np.uint8)
    return image


def bleed_through(page: Writing, draw: Draw) -> Image:
    """The other side of the sheet shines through: mirrored, faint and blurred."""
    back = cv2.GaussianBlur(page.own[:, ::-1], (0, 0), 1.6).astype(np.float32)
    back = cv2.resize(back, page.image.shape[1::-1])
    paper = np.percentile(back.reshape(-1, 3), 80, axis=0)
    faint = np.clip((paper - back) / paper, 0, 1) * draw.uniform(0.2, 0.35)
    shifted = np.roll(faint, int(draw.integers(8, 26)), axis=0)
    return np.asarray(np.clip(page.image * (1 - shifted), 0, 255), np.uint8)


def inserted(page: Writing, draw: Draw, between: bool = True) -> Image:
    """Words squeezed between two lines and into the margin: by the writer or, with two hands, by another.

    The page itself is by one hand; insertions are of six to ten words at 0.7 and 0.8 of their size, half of
    them where there is most room between two lines, half in a margin added on the left, two to a line.

    Args:
        page: The page, and further writing by both persons.
        draw: Random draw.
        between: Whether words between lines are put where they cross the least ink; otherwise across the
            tops of the line's letters.
    """
    image = page.image.copy()
    words = words_of(page.image).words
    source = [word.box for word in words_of(page.second).words if word.box.width > word.box.height]
    if len(words) < 8 or len(source) < 8:
        return image
    start = int(draw.integers(len(source) - 7))
    chosen = source[start : start + int(draw.integers(6, 11))]
    lines = sorted({word.line for word in words})
    line = lines[int(draw.integers(1, max(2, len(lines) - 1)))]
    below = [word.box for word in words if word.line == line]
    x, y = min(box.x for box in below) + 20, int(np.median([box.y for box in below]))
    chosen_for_line = chosen[: len(chosen) // 2]
    if between:
        y = _roomiest(image, chosen_for_line, (x, y), below)
    for box in chosen_for_line:
        x = _paste(image, page.second, box, (x, y), 0.7) + 14
    return _noted(image, page.second, chosen[len(chosen) // 2 :], int(y))


def across_letters(page: Writing, draw: Draw) -> Image:
    """The same insertion, written across the tops of the line's letters."""
    return inserted(page, draw, between=False)


def _roomiest(image: Image, boxes: Sequence[Box], at: tuple[int, int], below: Sequence[Box]) -> int:
    """The height above a line at which a row of words crosses the least ink."""
    x, y = at
    high = int(0.7 * np.median([box.height for box in boxes]))
    wide = int(sum(0.7 * box.width + 14 for box in boxes))
    middle = int(np.median([box.y + box.height / 2 for box in below]))
    grey = image[:, x : x + wide].min(axis=2).astype(np.float32)
    dark = np.clip(np.percentile(image, 80) - grey, 0, None).sum(axis=1)
    heights = range(max(high // 2, y - 2 * high), middle - high // 2 + 1)
    return min(heights, key=lambda row: float(dark[row - high // 2 : row + high // 2 + 1].sum()), default=y)


def _noted(image: Image, source: Image, boxes: Sequence[Box], y: int) -> Image:
    """Add a margin on the left with these words in it, from a height on, two to a line."""
    lines = [boxes[at : at + 2] for at in range(0, len(boxes), 2)]
    wide = int(max(0.8 * sum(box.width + 20 for box in line) for line in lines)) + 60
    paper = tuple(int(value) for value in np.percentile(image.reshape(-1, 3), 80, axis=0))
    image = np.asarray(cv2.copyMakeBorder(image, 0, 0, wide, 0, cv2.BORDER_CONSTANT, value=paper), np.uint8)
    for line in lines:
        x = 20
        for box in line:
            x = _paste(image, source, box, (x, y), 0.8) + 14
        y += int(0.8 * max(box.height for box in line)) + 12
    return image


def _paste(image: Image, source: Image, box: Box, at: tuple[int, int], scale: float) -> int:
    """Paste a word with its middle at a height; returns where it ends."""
    x, y = at
    crop = source[box.y : box.y + box.height, box.x : box.x + box.width]
    crop = cv2.resize(crop, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    top = max(0, y - crop.shape[0] // 2)
    part = image[top : top + crop.shape[0], x : x + crop.shape[1]]
    part[:] = np.minimum(part, crop[: part.shape[0], : part.shape[1]])
    return x + int(part.shape[1])


def print_only(draw: Draw) -> Image:
    """A printed page."""
    picture = Pictures.new("RGB", (SHEET[1], SHEET[0]), (250, 249, 246))
    pen, boxes = ImageDraw.Draw(picture), list[Box]()
    size = int(draw.integers(20, 34))
    face = _face(draw, size)
    text = ENGLISH.split() * 4
    across = int(0.8 * SHEET[1] / pen.textlength("average ", font=face))
    for row in range(int(draw.integers(8, 24))):
        line = " ".join(text[row * across : (row + 1) * across])
        _print(pen, line, (120, 120 + int(1.5 * size) * row), face, boxes)
    image = np.asarray(picture, np.float32) + draw.normal(0, 3, (*SHEET, 1))
    return np.asarray(np.clip(cv2.GaussianBlur(image, (0, 0), 0.6), 0, 255), np.uint8)


def drawing_only(draw: Draw) -> Image:
    """Sketches: curves, boxes, circles, hatching."""
    image = np.full((*SHEET, 3), 248, np.uint8)
    for _ in range(int(draw.integers(8, 26))):
        at = draw.uniform(0.1, 0.9, 2) * SHEET[::-1]
        size = draw.uniform(30, 260)
        t = np.linspace(0, 2 * np.pi, 90)
        kind = draw.integers(4)
        if kind == 0:
            terms = [draw.normal(0, 1, (2, 1)) * np.sin(k * t + draw.uniform(0, 6)) for k in range(1, 5)]
            points = at + size * np.sum(terms, axis=0).T / 2
        elif kind == 1:
            points = at + size * np.column_stack([np.cos(t), np.sin(t)])
        elif kind == 2:
            points = at + size * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
        else:
            row = np.arange(24)
            points = at + size / 8 * np.column_stack([row / 2, np.where(row % 2, 4, -4)])
        cv2.polylines(
            image, [points.astype(np.int32)], False, (40, 40, 60), int(draw.integers(2, 5)), cv2.LINE_AA
        )
    return image


def _lengthened(image: Image, height: int) -> Image:
    """The picture, at least this high."""
    if image.shape[0] >= height:
        return image.copy()
    paper = tuple(int(value) for value in np.percentile(image.reshape(-1, 3), 80, axis=0))
    below = height - image.shape[0]
    return np.asarray(cv2.copyMakeBorder(image, 0, below, 0, 0, cv2.BORDER_CONSTANT, value=paper), np.uint8)
