"""Fuzzing of every reader, in blocks journalled in --state, so that a run can be stopped and continued.

python benchmarks/trust.py --part fuzz --cases 6000
python benchmarks/trust.py --part table      # sums of all blocks, into results/trust.json
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import trust_fuzz
from journalled_pieces import add, rows
from result_file import Benchmark


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--part", choices=["fuzz", "table"], required=True)
    benchmark.options.add_argument("--state", type=Path, default=Path("trust-state"))
    benchmark.options.add_argument("--cases", type=int, default=6000, help="fuzz cases of every reader")
    given = benchmark.begin()
    given.state.mkdir(parents=True, exist_ok=True)
    commit = benchmark.origin.model_dump(mode="json", exclude_defaults=True)
    match given.part:
        case "fuzz":
            fuzz(given.state / "fuzz.jsonl", given.cases, commit)
        case "table":
            benchmark.write({"readers": table(given.state / "fuzz.jsonl")})


def fuzz(state: Path, cases: int, commit: dict[str, Any]) -> None:
    """Run the blocks that are not in the state yet."""
    done: dict[str, int] = {}
    for row in rows(state):
        done[row["reader"]] = max(row["end"], done.get(row["reader"], 0))
    for name, start, end in trust_fuzz.blocks(cases, done):
        found = trust_fuzz.run_block(name, start, end)
        add(state, found | {"origin": commit})
        print(json.dumps(found), flush=True)


def table(state: Path) -> dict[str, dict[str, int]]:
    """The sums of every reader."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows(state):
        one = sums[row["reader"]]
        for name in ("cases", "refused"):
            one[name] += row[name]
        for name in ("crashes", "hangs", "large", "foreign"):
            one[name] += len(row[name])
    return {name: dict(one) for name, one in sorted(sums.items())}


if __name__ == "__main__":
    main()
