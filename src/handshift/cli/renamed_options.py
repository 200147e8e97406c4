"""Options with a new name: the old one works for one more release, not in --help, with a warning."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_RECIPE = {"--rate": "--learning-rate", "--options": "--loss-options"}

RENAMED: dict[str, dict[str, str]] = {
    "examine": {"--scale": "--verbal-scale"},
    "report": {"--scale": "--verbal-scale"},
    "identify": {"--prior": "--prior-enrolled"},
    "train embed": _RECIPE,
    "train detect": {"--rate": "--learning-rate", "--model": "--architecture"},
    "clean": _RECIPE,
    "maps train": {**_RECIPE, "--top": "--top-percent"},
    "maps build": {"--rate": "--sample-rate"},
    "maps signal": {"--rate": "--sample-rate"},
}
"""Old name and new name of each option, by the command it stands in."""


def with_current_names(arguments: Sequence[str]) -> list[str]:
    """Replace old names of options by the current ones.

    Args:
        arguments: The command, its subcommand where it has one, and what follows.

    Returns:
        The same arguments; a warning goes to standard error for each name replaced.
    """
    command = next(
        (name for name in (" ".join(arguments[:2]), *arguments[:1]) if name in RENAMED),
        None,
    )
    if command is None:
        return list(arguments)
    current: list[str] = []
    for at, argument in enumerate(arguments):
        if argument == "--":  # what follows are paths
            return [*current, *arguments[at:]]
        option, equals, value = argument.partition("=")
        if new := RENAMED[command].get(option):
            print(f"handshift: warning: {option} is now {new}; the old name will go", file=sys.stderr)
            argument = f"{new}{equals}{value}"
        current.append(argument)
    return current
