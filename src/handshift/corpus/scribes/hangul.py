"""Hangul syllables: letters placed in their parts of the square, as each scribe divides it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from handshift.corpus.scribes.distortion import distorted
from handshift.corpus.scribes.hangul_jamo import (
    BESIDE_TALL_VOWEL,
    BUILT_OF,
    CONSONANTS,
    FINALS,
    INITIALS,
    MEDIALS,
    VOWELS,
)
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.skeleton import Glyph, Stroke, read_skeleton
from handshift.corpus.scribes.traits import traits_of

Cell = tuple[float, float, float, float]
"""Left, bottom, right and top of a letter's part of the square."""

_FLAT = "ㅗㅛㅜㅠㅡ"
_CELLS: dict[tuple[str, bool], tuple[Cell, ...]] = {
    # vowel stands, has final: initial, vowel parts, final
    ("tall", False): ((0.04, 0.26, 0.52, 0.82), (0.60, 0.0, 0.98, 1.0)),
    ("tall", True): ((0.06, 0.52, 0.52, 0.93), (0.60, 0.42, 0.97, 1.0), (0.20, 0.02, 0.88, 0.35)),
    ("flat", False): ((0.22, 0.52, 0.80, 0.95), (0.02, 0.08, 0.98, 0.46)),
    ("flat", True): ((0.24, 0.67, 0.78, 0.99), (0.02, 0.37, 0.98, 0.62), (0.20, 0.0, 0.82, 0.30)),
    ("both", False): ((0.08, 0.53, 0.54, 0.93), (0.0, 0.16, 0.64, 0.48), (0.68, 0.0, 0.99, 1.0)),
    ("both", True): (
        (0.08, 0.68, 0.52, 0.98),
        (0.0, 0.41, 0.62, 0.64),
        (0.66, 0.36, 0.98, 1.0),
        (0.22, 0.0, 0.88, 0.30),
    ),
}
_SYLLABLES = range(0xAC00, 0xAC00 + 11172)
_SIZE = np.array((1.75, 1.95))
"""Width and height of the square in heights of a small Latin letter."""
_SINK = -0.22
"""Syllables reach a little below the Latin baseline."""


def is_hangul(character: str) -> bool:
    """Whether the character is a Hangul syllable or a single Hangul letter."""
    return (
        ord(character) in _SYLLABLES
        or character in CONSONANTS
        or character in VOWELS
        or character in BUILT_OF
    )


def hangul_glyph(number: int, character: str) -> Glyph:
    """The habitual glyph of a syllable for scribe ``number``."""
    traits = traits_of(number)
    square: list[Stroke] = []
    for letter, cell in _divided(number, character):
        square += _placed(_habitual_jamo(number, letter, _beside_tall(character)), cell)
    if traits.running > chance("syllable", number, character).random():
        square = list(_drawn_through(tuple(square)))
    scale = _SIZE * (traits.width**0.6, 1.0)
    return tuple(stroke.moved(stroke.points * scale + (0, _SINK)) for stroke in square)


def decomposed(syllable: str) -> tuple[str, str, str]:
    """Return initial, medial and final letter; the final may be empty."""
    index = ord(syllable) - _SYLLABLES.start
    return INITIALS[index // 588], MEDIALS[index % 588 // 28], FINALS[index % 28].strip()


def _divided(number: int, character: str) -> list[tuple[str, Cell]]:
    if ord(character) not in _SYLLABLES:
        letters = BUILT_OF.get(character, character)
        share = 1 / len(letters)
        return [(letter, (at * share, 0.1, (at + 0.9) * share, 0.9)) for at, letter in enumerate(letters)]
    initial, medial, final = decomposed(character)
    medials = BUILT_OF.get(medial, medial)
    stands = "both" if len(medials) == 2 else "flat" if medial in _FLAT else "tall"
    cells = _CELLS[stands, bool(final)]
    # The scribe's own way to divide the square, the same for all syllables of this build.
    shift = 0.045 * chance("cells", number, stands, int(bool(final))).standard_normal((len(cells), 4))
    parts: list[tuple[str, Cell]] = []
    for letters, group in ((initial, 1), (medials, len(medials)), (final, 1)):
        for place in range(group if letters else 0):
            left, bottom, right, top = np.array(cells[len(parts)]) + shift[len(parts)]
            parts.append((letters if group == 1 else letters[place], (left, bottom, right, top)))
    return [pair for letter, cell in parts for pair in _side_by_side(letter, cell)]


def _side_by_side(letter: str, cell: Cell) -> list[tuple[str, Cell]]:
    pair = BUILT_OF.get(letter, letter)
    if len(pair) == 1:
        return [(letter, cell)]
    left, bottom, right, top = cell
    left, right = left - 0.04, right + 0.04
    middle = (left + right) / 2
    return [(pair[0], (left, bottom, middle - 0.02, top)), (pair[1], (middle + 0.02, bottom, right, top))]


def _beside_tall(character: str) -> bool:
    return ord(character) in _SYLLABLES and decomposed(character)[1] in "ㅏㅐㅑㅒㅓㅔㅕㅖㅣ"


@lru_cache(maxsize=16384)
def _habitual_jamo(number: int, letter: str, beside_tall: bool) -> Glyph:
    traits = traits_of(number)
    leaning = BESIDE_TALL_VOWEL.get(letter) if beside_tall else None
    shapes = leaning or CONSONANTS.get(letter) or VOWELS[letter]
    # The faster the hand, the further from the schoolbook's shape.
    pace = chance("jamo", number, letter).random() * (0.5 + 0.9 * traits.running)
    shape = shapes[min(int(pace * len(shapes)), len(shapes) - 1)]
    glyph = distorted(read_skeleton(shape), 0.85 * traits.quirk, chance("jamo", number, letter, shape))
    return _drawn_through(glyph) if chance("link", number, letter).random() < traits.running**2 else glyph


def _placed(glyph: Glyph, cell: Cell) -> list[Stroke]:
    left, bottom, right, top = cell
    corner, size = np.array((left, bottom)), np.array((right - left, top - bottom))
    return [stroke.moved(stroke.points * size + corner) for stroke in glyph]


def _drawn_through(glyph: Glyph) -> Glyph:
    """Replace short pen lifts that continue the pen's direction (rightwards or downwards) by strokes."""
    strokes = [glyph[0]]
    for stroke in glyph[1:]:
        before = strokes[-1]
        x, y = stroke.points[0] - before.points[-1]
        if x * x + y * y < 0.3**2 and y < 0.1:
            points = np.concatenate([before.points, stroke.points])
            sharp = np.concatenate([before.sharp, stroke.sharp])
            strokes[-1] = Stroke(points, sharp)
        else:
            strokes.append(stroke)
    return tuple(strokes)
