"""Numbers with their nouns."""


def counted(number: int, noun: str) -> str:
    """Write a number and a noun that agrees with it: ``1 word``, ``0 words``, ``2 pages``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
