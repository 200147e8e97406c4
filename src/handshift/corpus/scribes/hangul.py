"""placeholder"""
from handshift.corpus.scribes.skeleton import Glyph


def is_hangul(character: str) -> bool:
    return False


def hangul_glyph(number: int, character: str) -> Glyph:
    raise NotImplementedError
