"""A scribe's own letters: the habitual shape of each letter and its distortion."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import numpy as np

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.distortion import distorted, proportioned
from handshift.corpus.scribes.hangul import hangul_glyph, is_hangul
from handshift.corpus.scribes.latin_letters import (
    ACCENTED,
    ACCENTS,
    CAPITALS,
    JOINED,
    MARKS,
    PRINTED,
    SAME_INK,
)
from handshift.corpus.scribes.seeds import chance
from handshift.corpus.scribes.skeleton import Glyph, read_skeleton
from handshift.corpus.scribes.traits import traits_of


def writable(text: str) -> str:
    """Normalise a text to the characters that scribes can write.

    Raises:
        CorpusError: A character is unknown; the message names it.
    """
    plain = unicodedata.normalize("NFC", text)
    for typographic, simple in SAME_INK.items():
        plain = plain.replace(typographic, simple)
    for place, character in enumerate(plain):
        if not (character.isspace() or _known(character)):
            name = unicodedata.name(character, "unnamed")
            raise CorpusError(
                f"character {place + 1} of the text, {character!r} (U+{ord(character):04X}, {name}), has no "
                "letter shape. Scribes write Latin letters with the common accents, digits, punctuation and "
                "Hangul; replace or remove it."
            )
    return plain


def _known(character: str) -> bool:
    return is_hangul(character) or any(character in table for table in (PRINTED, CAPITALS, MARKS, ACCENTED))


@lru_cache(maxsize=65536)
def habitual_letter(number: int, character: str, second: bool = False) -> Glyph:
    """The glyph that scribe ``number`` intends; ``second`` asks for the less usual shape."""
    traits = traits_of(number)
    if is_hangul(character):
        return hangul_glyph(number, character)
    if character in ACCENTED:
        base, accent = ACCENTED[character]
        return _accented(habitual_letter(number, base, second), accent)
    notation = _shape(number, character, second)
    draw = chance("letter", number, character, notation)
    capital = character not in PRINTED
    quirk = traits.quirk * (0.5 if character in MARKS and not character.isdigit() else 1.0)
    return distorted(proportioned(read_skeleton(notation), traits, capital=capital), quirk, draw)


def _shape(number: int, character: str, second: bool) -> str:
    draw = chance("shape", number, character)
    joined = bool(draw.random() < traits_of(number).joined_shapes)
    if character in PRINTED:
        shapes = (JOINED if joined else PRINTED)[character]
    else:
        shapes = CAPITALS.get(character) or MARKS[character]
    # The first shape is the commonest.
    first = int(len(shapes) * draw.random() ** 1.3)
    return shapes[(first + 1) % len(shapes)] if second else shapes[first]


def _accented(base: Glyph, accent: str) -> Glyph:
    body = tuple(stroke for stroke in base if stroke.points[:, 1].min() < 1.1)  # without the dot of an i
    inside = np.concatenate([stroke.points for stroke in body])
    top = 0.0 if accent == "hook" else float(inside[:, 1].max())
    middle = float(inside[:, 0].min() + inside[:, 0].max()) / 2
    place = np.array((middle, top))
    mark = tuple(stroke.moved(stroke.points + place) for stroke in read_skeleton(ACCENTS[accent]))
    return body + mark
