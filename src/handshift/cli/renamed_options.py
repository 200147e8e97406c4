"""Old spellings of options, accepted with a warning for one release."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


def renamed_options(**spellings: str) -> type[TyperCommand]:
    """A command class that accepts old option names and warns about them.

    The old names do not appear in the help.

    Args:
        spellings: New name by old name, without dashes in front and with underscores: ``rate="sample_rate"``.

    Returns:
        A class for ``app.command(cls=…)``.
    """
    names = {_flag(old): _flag(new) for old, new in spellings.items()}

    class RenamedOptionsCommand(TyperCommand):
        """Replaces old option names before parsing."""

        # Typer has its own copy of click from 0.26 on; naming either one's Context would exclude the other.
        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            """Parse the arguments with new names."""
            end = args.index("--") if "--" in args else len(args)
            return super().parse_args(ctx, [*map(_replace, args[:end]), *args[end:]])

    def _replace(argument: str) -> str:
        name, equals, value = argument.partition("=")
        if name not in names:
            return argument
        typer.echo(f"handshift: warning: {name} is now {names[name]}; the old name will go", err=True)
        return f"{names[name]}{equals}{value}"

    return RenamedOptionsCommand


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
