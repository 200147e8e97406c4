"""The language that --lang chose, for an error that ends a command: `main` sees no options."""

from __future__ import annotations

from handshift.core.errors import HandshiftError, PathError
from handshift.core.terminal_text import one_line

_ENGLISH = "en"
_chosen = [_ENGLISH]


def choose(language: str = _ENGLISH) -> str:
    """Callback of --lang; what it needs of the library is not loaded before the help is printed."""
    _chosen[0] = language
    return language


def describe_refusal(error: HandshiftError) -> str:
    """What the user can put right, in the language of the command that was refused."""
    if _chosen[0] == _ENGLISH:
        return one_line(error)
    from handshift.calibration.verbal_scale import Language
    from handshift.report.problems import problem

    language = Language(_chosen[0])
    if isinstance(error, PathError):
        return f"{one_line(error.named)}: {one_line(problem(error.problem, language))}"
    return one_line(problem(str(error), language))
