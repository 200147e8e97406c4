"""The JSON of `examine --json`, field by field: pydantic checks findings by it and writes their JSON Schema.

Fields may be added, never renamed or given another meaning.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Interval, Len
from typing_extensions import TypedDict  # pydantic needs it before Python 3.12

SCHEMA: Literal[2] = 2
"""1, without the field `schema`, had neither `status` nor `complete` in its first versions."""

Probability = Annotated[float, Interval(ge=0.0, le=1.0)]
Pair = Annotated[list[float], Len(2, 2)]
Place = Annotated[int, Ge(0)]


Status = Literal["examined", "blank", "no-writing", "failed"]


class WordRecord(TypedDict):
    """One word or other mark."""

    box: Annotated[list[int], Len(4, 4)]
    """x, y, width and height in pixels."""
    line: Place
    """Text line, from 0."""
    hand: str
    """A wrote most; empty for what is not writing."""
    posterior: Probability
    """Probability that another hand than A wrote the word."""
    certainty: Probability
    """Probability that `hand` wrote it."""
    kind: Literal["writing", "print", "stamp", "struck-out", "signature", "drawing"]
    """Only writing has a hand."""
    text: NotRequired[str]
    """What is written, where it was read or a segmentation has it."""


class ClaimRecord(TypedDict):
    """The propositions without words."""

    least: float
    most: float
    fewest: int
    days: int


class PropositionsRecord(TypedDict):
    """What the likelihood ratio compares, in English; `populations` has other languages."""

    several_hands: str
    one_hand: str
    population: str
    claim: ClaimRecord | None
    """The same without words; null where a calibration has propositions of its own."""
    populations: dict[str, str]


class AlikeRecord(TypedDict):
    """Words that several hands wrote alike."""

    text: str
    """Empty where shapes were compared."""
    words: list[Annotated[int, Ge(1)]]
    """Their numbers, from 1."""


class ReferenceRecord(TypedDict):
    """Scores of pages of known ground truth."""

    one_hand: list[float]
    several_hands: list[float]


class ScopeReasonRecord(TypedDict):
    """One thing in which a page differs from those that the model was validated on."""

    code: str
    weight: Probability
    """Factor of the log10 LR: 1 for a remark, 0 where nothing can be said."""
    values: dict[str, float | str]
    """Figures that the sentence mentions."""
    en: str
    ko: str


class ScopeRecord(TypedDict):
    """Whether the page lies inside what the model was validated on."""

    inside: bool
    weight: Probability
    """`log10_lr` of the page is this × `log10_lr_raw`; 0 means that no ratio is stated."""
    forced: bool
    reasons: list[ScopeReasonRecord]
    log10_lr_raw: float | None


class PageRecord(TypedDict):
    """One page. Figures are null only with an `error`."""

    path: str
    origin: NotRequired[str | None]
    """The canvas, packed file or address that a file of the cache comes from; null for one of your own."""
    sha256: str | None
    """Of the file; null where it could not be read."""
    page: Annotated[int, Ge(1)]
    """Page within the file, from 1."""
    score: float | None
    log10_lr: float | None
    log10_lr_bounds: Pair | None
    """Between which the calibration supports a ratio (ELUB)."""
    log10_lr_interval: Pair | None
    hands: Annotated[int, Ge(1)] | None
    number_of_hands: list[Probability] | None
    """Posterior probability of one hand, two hands, …"""
    error: str | None
    """Why there is no finding."""
    status: Status
    """Blank where no word was found, no-writing where only print, stamps or drawings were."""
    warnings: list[str]
    propositions: PropositionsRecord | None
    words: list[WordRecord]
    compared: list[Place]
    """Places, from 0, of the words that `similarity_percent` is about."""
    similarity_percent: str
    """Their cosine similarities × 100 as signed bytes in base64, row by row."""
    alike: list[AlikeRecord]
    reference: ReferenceRecord | None
    scope: ScopeRecord
    view: dict[str, Any] | None
    """By how many degrees the scan was `turned` clockwise and, where it shows more than the sheet, the four
    corners of the sheet in the scan's pixels; boxes of words are in pixels of the upright sheet."""


class RunRecord(TypedDict):
    """Everything one run examined, or tried to."""

    schema: Literal[2]
    """Version of this schema."""
    handshift: str
    """Version of handshift."""
    model: str
    run: dict[str, Any]
    """When and how: start, settings, versions, model card, case."""
    complete: bool
    """False while pages are still to be examined, and after a run that was stopped."""
    pages: list[PageRecord]


# Typed dictionaries below take the configuration of the one that holds them. Further fields are kept:
# a later version may have added them.
RunRecord.__pydantic_config__ = {  # type: ignore[attr-defined]
    "strict": True,
    "allow_inf_nan": False,
    "extra": "allow",
    "use_attribute_docstrings": True,
}


def findings_json_schema() -> dict[str, Any]:
    """The JSON Schema of findings, as it stands in the documentation."""
    from handshift.core.records import adapter

    found = adapter(RunRecord).json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}
