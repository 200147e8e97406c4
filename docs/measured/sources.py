"""Results for the documents, from results/; what cannot be traced to a commit is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from handshift.study.provenance import Origin
from handshift.study.results import Results, load_results
from measured.markdown import Tree

RESULTS = Path(__file__).resolve().parents[2] / "results"
QUIET = 1.0
"""Load average up to which times are printed."""
COMMANDS = {
    "databases": "python benchmarks/databases.py --data databases --part test --model words-3 "
    "--model words-4 --network models/drafts/words-4-open/words.onnx",
    "mixed-databases": "python benchmarks/mixed_databases.py --data databases --part test --model words-3 "
    "--model words-4",
    "verification-iam": "python benchmarks/verification.py --database iam "
    "--out results/verification-iam.json",
    "identification-iam": "python benchmarks/identification.py --database iam "
    "--out results/identification-iam.json",
    "spine-words-3": "python benchmarks/spine.py --model words-3 --out results/spine-words-3.json",
    "verification-words-3": "python benchmarks/verification.py --model words-3 "
    "--out results/verification-words-3.json",
    "identification-words-3": "python benchmarks/identification.py --model words-3 "
    "--out results/identification-words-3.json",
    "maps-peer-tiles": "python benchmarks/maps_peer.py --no-maps --pictures 100 --steps 60 --depth 2 "
    "--out results/maps-peer-tiles.json",
    "documents-sizes": "python benchmarks/documents.py --sizes --out results/documents-sizes.json",
    "maps-cost": "python benchmarks/maps.py",
    "tiles-random": "python benchmarks/tiles.py --split random --out results/tiles-random.json",
}
"""Where a benchmark's script is not named as its file."""


class UntraceableError(ValueError):
    """A result is a draft, or names no commit: it may not be printed."""


def load_study(name: str) -> Results | None:
    """Read a study; None where it is to be measured again.

    Raises:
        UntraceableError: A run is a draft or names no commit.
    """
    if not (RESULTS / name).is_dir():
        return None
    results = load_results(RESULTS / name)
    for run in results.provenance.runs:
        for origin in results.provenance.origins_of(run):
            _refuse(origin, f"results/{name}: {run.variant}, seed {run.seed}")
    return results


def load_benchmark(name: str) -> Tree | None:
    """Read what a benchmark wrote; None where it is to be measured again.

    Raises:
        UntraceableError: It is a draft or names no commit.
    """
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return None
    found: Tree = json.loads(path.read_text(encoding="utf-8"))
    if "provenance" not in found:
        raise UntraceableError(f"results/{path.name} names no commit")
    _refuse(Origin.model_validate(found["provenance"]["origin"]), f"results/{path.name}")
    return found


def study_text(name: str, text: Callable[[Results], str]) -> str:
    """The text of a study, or that it is being measured again."""
    results = load_study(name)
    return pending(f"handshift study run studies/{name}.yaml") if results is None else text(results)


def benchmark_text(names: str, text: Callable[..., str]) -> str:
    """The text of one or several benchmarks, or which of them are being measured again."""
    found = {name: load_benchmark(name) for name in names.split()}
    missing = [name for name, result in found.items() if result is None]
    return pending(*map(command_of, missing)) if missing else text(*found.values())


def is_quiet(result: Tree) -> bool:
    """Whether the machine had no other work, so that a benchmark's times mean something.

    A benchmark that measured what others took says so itself; of another its load at the start decides.
    """
    if "quiet" in result:
        return bool(result["quiet"])
    return float(result["provenance"]["load_at_start"]) <= QUIET


def pending(*commands: str) -> str:
    """Say that figures are being measured again, and by which commands."""
    return f"*Being measured again:* {', '.join(f'`{command}`' for command in commands)}."


def command_of(name: str) -> str:
    """The command that writes ``results/<name>.json``."""
    return COMMANDS.get(name, f"python benchmarks/{name.replace('-', '_')}.py")


def _refuse(origin: Origin, where: str) -> None:
    if not origin.traceable:
        raise UntraceableError(f"{where} is a draft or names no commit, and drafts are not printed")
