"""Corrections as they travel: validated, applied to a page, and laid over its record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, TypeAdapter

from handshift.page.edit_words import CorrectionError, delete_word, draw_word, merge_words, split_word
from handshift.page.word import Box, Page

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


class Exclude(BaseModel):
    """Words that are not handwriting to be compared: shown, not scored."""

    op: Literal["exclude"]
    boxes: Annotated[list[BoxSides], Field(min_length=1, max_length=2000)]
    kind: Literal["print", "stamp", "struck out"]


class Assign(BaseModel):
    """Words ascribed to a hand by a person."""

    op: Literal["hand"]
    boxes: Annotated[list[BoxSides], Field(min_length=1, max_length=2000)]
    hand: Hand


Change = Annotated[Merge | Split | Delete | Draw | Exclude | Assign, Field(discriminator="op")]
CHANGE: TypeAdapter[Merge | Split | Delete | Draw | Exclude | Assign] = TypeAdapter(Change)


def apply_changes(page: Page, changes: Sequence[Any]) -> tuple[Page, list[dict[str, Any]]]:
    """Apply what concerns the words of a page, in the order it was made.

    Args:
        page: The page as segmented.
        changes: Corrections that stand, oldest first.

    Returns:
        The corrected page without the excluded words, and those words with what they are.

    Raises:
        CorrectionError: A correction names a word that is not there.
    """
    excluded: list[dict[str, Any]] = []
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
            case Exclude(boxes=boxes, kind=kind):
                for sides in boxes:
                    page = delete_word(page, Box(*sides))
                    excluded.append({"box": list(sides), "kind": kind})
            case Assign(boxes=boxes):
                _require_words(page, boxes)
    return page, excluded


def lay_over(
    record: dict[str, Any], changes: Sequence[Any], excluded: list[dict[str, Any]]
) -> dict[str, Any]:
    """A record with the hands that a person assigned; computed hands stay beside them.

    A word that was reassigned has `hand` as assigned, `computed_hand` as computed, and `by` = "examiner".
    """
    hands = {
        tuple(box): change.hand for change in changes if isinstance(change, Assign) for box in change.boxes
    }
    words = []
    for word in record["words"]:
        assigned = hands.get(tuple(word["box"]))
        if assigned is None or assigned == word["hand"]:
            words.append(word)
        else:
            words.append(word | {"hand": assigned, "computed_hand": word["hand"], "by": "examiner"})
    return record | {"words": words, "excluded": excluded}


def _require_words(page: Page, boxes: Sequence[BoxSides]) -> None:
    known = {word.box for word in page.words}
    if missing := [box for box in boxes if Box(*box) not in known]:
        raise CorrectionError(f"no word of the page has the box {missing[0]}")
