"""Corrections as they travel: validated, applied to a page, and laid over its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from handshift.page.edit_words import (
    CorrectionError,
    delete_word,
    draw_word,
    mark_words,
    merge_words,
    split_word,
)
from handshift.page.word import Box, Page
from handshift.page.word_kind import WordKind

Side = Annotated[int, Field(ge=0, le=1_000_000)]
BoxSides = tuple[Side, Side, Side, Side]
Hand = Annotated[str, Field(pattern=r"^[A-Z]{1,2}$")]


class Merge(BaseModel):
    """Several words become one."""

    op: Literal["merge"]
    boxes: Annotated[list[BoxSides], Field(min_length=2, max_length=50)]


class Split(BaseModel):
    """One word becomes two at a column."""

    op: Literal["split"]
    box: BoxSides
    x: Side


class Delete(BaseModel):
    """A word is no word."""

    op: Literal["delete"]
    box: BoxSides


class Draw(BaseModel):
    """A word that was missed."""

    op: Literal["draw"]
    box: BoxSides


class Mark(BaseModel):
    """What words are: writing, or print, a stamp and so on, which are shown and not compared."""

    op: Literal["mark"]
    boxes: Annotated[list[BoxSides], Field(min_length=1, max_length=2000)]
    kind: WordKind


class Assign(BaseModel):
    """Words ascribed to a hand by a person."""

    op: Literal["hand"]
    boxes: Annotated[list[BoxSides], Field(min_length=1, max_length=2000)]
    hand: Hand


Change = Annotated[Merge | Split | Delete | Draw | Mark | Assign, Field(discriminator="op")]
CHANGE: TypeAdapter[Merge | Split | Delete | Draw | Mark | Assign] = TypeAdapter(Change)


def apply_changes(page: Page, changes: Sequence[Any]) -> Page:
    """Apply what concerns the words of a page, in the order it was made.

    Args:
        page: The page as segmented.
        changes: Corrections that stand, oldest first.

    Returns:
        The corrected page.

    Raises:
        CorrectionError: A correction names a word that is not there.
    """
    for change in changes:
        match change:
            case Merge(boxes=boxes):
                page = merge_words(page, [Box(*box) for box in boxes])
            case Split(box=box, x=x):
                page = split_word(page, Box(*box), x)
            case Delete(box=box):
                page = delete_word(page, Box(*box))
            case Draw(box=box):
                page = draw_word(page, Box(*box))
            case Mark(boxes=boxes, kind=kind):
                page = mark_words(page, [Box(*box) for box in boxes], kind)
            case Assign(boxes=boxes):
                _require_words(page, boxes)
    return page


def lay_over(record: dict[str, Any], changes: Sequence[Any], segmented: Page) -> dict[str, Any]:
    """A record with what a person assigned; what was computed stays beside it.

    A word that was reassigned has `hand` as assigned, `computed_hand` as computed, and `by` = "examiner"; one
    whose kind was changed has `computed_kind` likewise.

    Args:
        record: Of the corrected page.
        changes: Corrections that stand, oldest first.
        segmented: The page without corrections, for the kinds that were found.

    Returns:
        The record to show.
    """
    found = {tuple(word.box): word.kind.value for word in segmented.words}
    marked = {tuple(box) for change in changes if isinstance(change, Mark) for box in change.boxes}
    hands = {
        tuple(box): change.hand for change in changes if isinstance(change, Assign) for box in change.boxes
    }
    words = []
    for word in record["words"]:
        box = tuple(word["box"])
        shown = dict(word)
        if (assigned := hands.get(box)) not in (None, word["hand"]) and word["hand"]:
            shown |= {"hand": assigned, "computed_hand": word["hand"], "by": "examiner"}
        if box in marked and found.get(box, WordKind.WRITING) != word["kind"]:
            shown |= {"computed_kind": found.get(box, WordKind.WRITING.value), "by": "examiner"}
        words.append(shown)
    return record | {"words": words}


def _require_words(page: Page, boxes: Sequence[BoxSides]) -> None:
    known = {word.box for word in page.words}
    if missing := [box for box in boxes if Box(*box) not in known]:
        raise CorrectionError(f"no word of the page has the box {missing[0]}")
