"""`Scribe`: a synthetic hand, determined by its number."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from handshift.core.errors import CorpusError
from handshift.corpus.scribes.traits import Traits, drifted, traits_of


@dataclass(frozen=True)
class Scribe:
    """A hand that can write any text in Latin letters and Hangul, determined by its number."""

    number: int
    session: int = 0
    """0 is the scribe's usual day; on others, pen, size and slant drift a little."""

    def __post_init__(self) -> None:
        if self.number < 0 or self.session < 0:
            raise CorpusError(f"scribe and session are counted from 0, not {self.number} and {self.session}")

    @cached_property
    def traits(self) -> Traits:
        """The habits of this hand in this session."""
        return drifted(traits_of(self.number), self.number, self.session)

    def in_session(self, session: int) -> Scribe:
        """The same hand in another session."""
        return replace(self, session=session)
