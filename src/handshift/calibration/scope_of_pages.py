"""What a reader must know of the scope of several pages: which of them it concerns."""

from __future__ import annotations

from collections.abc import Sequence

from handshift.calibration.scope import INSIDE, Scope, scope_text
from handshift.calibration.verbal_scale import Language
from handshift.core.number_ranges import number_ranges


def scope_lines(pages: Sequence[Scope], language: Language = Language.en) -> list[str]:
    """Sentences for the pages of a document; those outside for the same reasons are named together.

    Args:
        pages: The scope of each page, in order.
        language: Of the sentences.

    Returns:
        A line for every set of reasons, with the pages it concerns unless it concerns all; the figures in it
        are of the page where they weigh most. Empty where there is nothing to say.
    """
    numbers: dict[tuple[str, ...], list[int]] = {}
    for number, page in enumerate(pages, 1):
        if page.reasons:
            outside = [reason.code for reason in page.reasons if reason.weight < 1]
            numbers.setdefault(tuple(outside or [reason.code for reason in page.reasons]), []).append(number)
    lines = []
    for own in numbers.values():
        said = INSIDE.joined(*(pages[number - 1] for number in own)).headline(language)
        which = scope_text("_pages", language).format(pages=number_ranges(own))
        lines.append(f"{which} {said}" if len(own) < len(pages) else str(said))
    return lines
