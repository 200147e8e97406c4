"""The options that all benchmarks share, and the file a benchmark writes: figures with their provenance."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_text
from handshift.study.provenance import origin


class Benchmark:
    """One benchmark: its options, its origin, and its file.

    The code must be that of a commit; ``--draft`` allows changes and marks the file.

    Args:
        script: ``__file__`` of the benchmark.
        description: Shown by ``--help``.
        name: Name of the file in ``results/``; that of the script if not given.
        inputs: Options that name what is measured; the command names these with their last two folders,
            since the rest of a path is of one machine alone.
    """

    def __init__(
        self, script: str, description: str | None, name: str | None = None, inputs: Sequence[str] = ()
    ) -> None:
        self.script, self._inputs = Path(script).name, frozenset(inputs)
        self.options = argparse.ArgumentParser(
            description=description, formatter_class=argparse.RawTextHelpFormatter
        )
        out = Path("results") / f"{name or Path(script).stem.replace('_', '-')}.json"
        self.options.add_argument("--out", type=Path, default=out)
        self.options.add_argument(
            "--draft", action="store_true", help="allow code that differs from its commit; marks the file"
        )

    def begin(self) -> argparse.Namespace:
        """Read the options, and refuse code that differs from its commit before anything is measured."""
        self.given = self.options.parse_args()
        self.origin = origin(self.given.draft)
        self._load = os.getloadavg()[0]
        self._clock = time.perf_counter()
        return self.given

    def write(self, figures: Mapping[str, Any]) -> None:
        """Write the figures with command, commit, versions, machine, its load at the start, and seconds."""
        result = {
            "command": self.command(),
            **figures,
            "provenance": {
                "origin": self.origin.model_dump(mode="json", exclude_defaults=True),
                "finished": datetime.now(UTC).isoformat(timespec="seconds"),
                "seconds": round(time.perf_counter() - self._clock, 1),
                "load_at_start": round(self._load, 1),
            },
        }
        text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
        write_text(self.given.out, text)
        print(text, end="")

    def command(self) -> str:
        """The call that gives these figures: options that differ from their defaults, without the paths."""
        words = ["python", f"benchmarks/{self.script}"]
        for name, value in vars(self.given).items():
            default = self.options.get_default(name)
            values = value if isinstance(value, list) else [value]
            plain = not any(isinstance(one, Path | bool) for one in values)
            if name in self._inputs and value != default:
                words.append(f"--{name}")
                words += ["/".join(Path(str(one)).parts[-2:]) for one in values if one is not True]
            elif value != default and plain and name != "model":
                words += [f"--{name.replace('_', '-')}", *map(str, values)]
        return " ".join(words)
