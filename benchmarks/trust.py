"""What handshift does with hostile files and when it is killed; every part can be stopped and continued.

python benchmarks/trust.py --part fuzz --cases 3800      # mutated files, so many for every reader
python benchmarks/trust.py --part kills --kills 200      # commands killed and started again
python benchmarks/trust.py --part pages                  # 2,000 pages in a PDF; 5,000 files, 100 hostile
python benchmarks/trust.py --part words                  # pages of 1,500 and 6,000 words
python benchmarks/trust.py --part worker                 # what decoding in a process of its own costs
python benchmarks/trust.py --part table                  # prints the table, and writes results/trust.json
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import trust_fuzz
import trust_kills
import trust_limits
import trust_pages
from journalled_pieces import add, rows
from result_file import Benchmark
from trust_table import print_table

FAULTS = ("crashes", "hangs", "large", "foreign")
PARTS = ("fuzz", "kills", "pages", "words", "worker", "table")
FIGURES_OF = {
    "fuzz": ("fuzz_cases", "readers"),
    "kills": ("kills", "commands"),
    "pages": ("pages",),
    "words": ("words",),
    "worker": ("worker",),
}


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    benchmark.options.add_argument("--part", choices=PARTS, required=True)
    benchmark.options.add_argument("--state", type=Path, default=Path("trust-state"))
    benchmark.options.add_argument("--cases", type=int, default=3800, help="fuzz cases of every reader")
    benchmark.options.add_argument("--kills", type=int, default=200, help="kills over all commands")
    benchmark.options.add_argument("--pages", type=int, default=2000, help="pages of the PDF")
    benchmark.options.add_argument("--files", type=int, default=5000, help="mixed files, 2 %% hostile")
    benchmark.options.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long")
    given = benchmark.begin()
    until = time.monotonic() + given.seconds
    given.state.mkdir(parents=True, exist_ok=True)
    origin = {"origin": benchmark.origin.model_dump(mode="json", exclude_defaults=True)}
    state = given.state / f"{given.part}.jsonl"
    match given.part:
        case "fuzz":
            fuzz(state, given.cases, origin, until)
        case "kills":
            kills(state, given.kills, origin, until)
        case "pages":
            done = {row["what"] for row in rows(state)}
            for what, count in (("pdf", given.pages), ("files", given.files)):
                if what not in done:
                    keep(state, trust_pages.run(what, count, given.state / what), origin)
        case "words":
            tried = {(row["words_drawn"], row["words_given"]) for row in rows(state)}
            for words, boxes in trust_limits.SHEETS:
                if (words, boxes) not in tried:
                    keep(state, trust_limits.many_words(words, boxes, given.state / "words"), origin)
        case "worker":
            keep(state, trust_limits.worker_cost(24, given.state / "letters"), origin)
        case "table":
            figures = with_earlier_parts(table(given.state), given.out)
            figures["missing"] = missing(figures, given.cases, given.kills)
            benchmark.write(figures)
            print_table(figures)


def fuzz(state: Path, cases: int, origin: dict[str, Any], until: float) -> None:
    """Run the cases that are not in the state yet, and blocks again in which earlier code failed."""
    done: dict[str, int] = {}
    failed = []
    for row in fuzzed(state):
        done[row["reader"]] = max(row["end"], done.get(row["reader"], 0))
        if any(row[name] for name in FAULTS) and row["origin"]["commit"] != origin["origin"]["commit"]:
            failed.append((row["reader"], row["start"], row["end"]))
    for name, start, end in (*failed, *trust_fuzz.blocks(cases, done)):
        if time.monotonic() > until:
            return
        keep(state, trust_fuzz.run_block(name, start, end), origin)


def fuzzed(state: Path) -> list[dict[str, Any]]:
    """Every block as it was found last."""
    return list({(row["reader"], row["start"]): row for row in rows(state)}.values())


def kills(state: Path, wanted: int, origin: dict[str, Any], until: float) -> None:
    """Run the rounds that are not in the state yet."""
    done = {row["round"]: row["kills"] for row in rows(state)}
    folder = state.with_suffix("")  # inputs and whole runs take minutes, and are the same for every attempt
    for command, number in trust_kills.rounds():
        if sum(done.values()) >= wanted or time.monotonic() > until:
            return
        if number not in done:
            found = trust_kills.run_round(command, number, folder)
            done[number] = found["kills"]
            keep(state, found, origin)


def keep(state: Path, found: dict[str, Any], origin: dict[str, Any]) -> None:
    """Journal what was found, and show it."""
    add(state, found | origin)
    print(json.dumps(found, ensure_ascii=False), flush=True)


def table(folder: Path) -> dict[str, Any]:
    """The sums of every reader and command, and what the other parts found, each with its commits."""
    readers: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in fuzzed(folder / "fuzz.jsonl"):
        one = readers[row["reader"]]
        for name in ("cases", "refused"):
            one[name] += row[name]
        for name in ("contained", *FAULTS):
            one[name] += len(row.get(name, []))
    commands: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows(folder / "kills.jsonl"):
        one = commands[row["command"]]
        for name in ("kills", "done_again", "left_over", "processes_left"):
            one[name] += row[name]
        one["rounds"] += 1
        one["not_the_same"] += not row["same"]
    parts = {part: rows(folder / f"{part}.jsonl") for part in ("pages", "words", "worker")}
    commits = {
        part: sorted({row["origin"]["commit"] for row in rows(folder / f"{part}.jsonl")})
        for part in PARTS[:-1]
    }
    return {
        "seeds": "of case N: tests/fuzz/mutation.py:seed_of(reader, N); of a round: command and number",
        "fuzz_cases": sum(one["cases"] for one in readers.values()),
        "kills": sum(one["kills"] for one in commands.values()),
        "readers": {name: dict(one) for name, one in sorted(readers.items())},
        "commands": {name: dict(one) for name, one in commands.items()},
        **{part: [_without_origin(row) for row in found] for part, found in parts.items()},
        "commits": commits,
    }


def with_earlier_parts(figures: dict[str, Any], out: Path) -> dict[str, Any]:
    """Parts that the state has nothing of keep the figures and commits of the earlier file."""
    earlier = json.loads(out.read_text("utf-8")) if out.exists() else {"commits": {}}
    for part, names in FIGURES_OF.items():
        if not figures["commits"][part] and part in earlier["commits"]:
            figures |= {name: earlier[name] for name in names}
            figures["commits"] |= {part: earlier["commits"][part]}
    return figures


def missing(figures: dict[str, Any], cases: int, kills: int) -> list[str]:
    """What was not run yet, or not to its end."""
    cases_of = {name: figures["readers"].get(name, {}).get("cases", 0) for name in trust_fuzz.readers()}
    found = [f"mutated files of {name}" for name, run in cases_of.items() if run < cases]
    for name in trust_fuzz.IN_WORKER:
        one = figures["readers"].get(name, {})
        if ended := one.get("crashes", 0) + one.get("hangs", 0):
            found.append(f"{ended} mutated files of {name} that end a decoder, in the decoding process")
    if figures["kills"] < kills:
        found.append(f"{kills - figures['kills']} of {kills} kills")
    pages = {one["what"] for one in figures["pages"]}
    found += [text for what, text in trust_pages.INPUTS.items() if what not in pages]
    sheets = {(one["words_drawn"], one["words_given"]) for one in figures["words"]}
    found += [
        f"{words:,} words on a page" for words, boxes in trust_limits.SHEETS if (words, boxes) not in sheets
    ]
    return found if figures["worker"] else [*found, "the cost of the decoding process"]


def _without_origin(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "origin"}


if __name__ == "__main__":
    main()
