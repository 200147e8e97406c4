"""Which words are shown to the reader as standing apart."""

from __future__ import annotations

from handshift.attribution.verdict import WordFinding
from handshift.page.hand_labels import MAIN_HAND

SUSPECT = 0.5


def stands_apart(finding: WordFinding) -> bool:
    """Tell whether a word is ascribed to another hand, or as probably another's as not."""
    return finding.hand != MAIN_HAND or finding.posterior >= SUSPECT
