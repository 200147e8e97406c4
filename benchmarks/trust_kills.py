"""Commands killed at random moments and started again: what was finished stays, and the end is the same.

A round is up to five kills (SIGKILL, SIGTERM or SIGHUP, by seed), each when a random number of pages is done
and a random moment later, and a last run to the end. Commands are forks of this process, which has imported
them: an interpreter started anew for each would take most of the time.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import multiprocessing.process
import os
import random
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trust_inputs

from handshift.cli.lazy import COMMANDS as COMMAND_MODULES
from handshift.cli.lazy import load

DONE = ".done"
"""Where a command that keeps a journal notes every page it has finished."""
KILLS = 5
"""Kills of a round, at most."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True)
class Command:
    """One command on small inputs: its arguments, what it leaves, and how far it is."""

    name: str
    arguments: Callable[[Path, Path], list[object]]
    """From the folder of inputs and that of results."""
    outcome: Callable[[Path], Any]
    """What must be the same after kills, as JSON."""
    progress: str = DONE
    """Files of the folder of results whose lines are steps of the work."""

    def start(self, inputs: Path, out: Path) -> multiprocessing.process.BaseProcess:
        """Start the command in a group of its own."""
        arguments = [str(one) for one in self.arguments(inputs, out)]
        process = multiprocessing.get_context("fork").Process(target=_run, args=(arguments, out))
        process.start()
        return process

    def is_complete(self, out: Path) -> bool:
        """Whether pages are done and their journal is gone: the same command would start a new run.

        Steps are not compared with those of a whole run: a kill between a journalled page and its note here
        leaves one out.
        """
        return self.progress == DONE and self.steps(out) > 0 and not any(out.rglob("*.journal"))

    def steps(self, out: Path) -> int:
        """Steps of the work so far."""
        return sum(path.read_bytes().count(b"\n") for path in out.glob(self.progress))


def _run(arguments: list[str], out: Path) -> None:
    """The command as handshift runs it, in a process of its own; every page that is journalled is noted."""
    from handshift.cli import main
    from handshift.core.run_journal import RunJournal

    os.setsid()
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup, under which a long benchmark runs, ignores it
    output = os.open(out / ".output", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    study = str(trust_inputs.TESTS / "study")
    sys.path.insert(0, study)
    paths = (study, os.environ.get("PYTHONPATH", ""))
    os.environ |= {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1"}
    log = os.open(out / DONE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    add = RunJournal.add

    def added(self: RunJournal, entry: Any, source: Any, sha256: Any) -> None:
        add(self, entry, source, sha256)
        done = json.dumps([str(source), entry], sort_keys=True, default=str)
        os.write(log, hashlib.sha256(done.encode()).hexdigest().encode() + b"\n")

    RunJournal.add = added  # type: ignore[method-assign]
    sys.argv = ["handshift", *arguments]
    main()


def _json(name: str, *keys: str) -> Callable[[Path], Any]:
    def read(out: Path) -> Any:
        content = json.loads((out / name).read_text("utf-8"))
        return [content.get("complete"), *(content[key] for key in keys)]

    return read


def _digests(*patterns: str) -> Callable[[Path], Any]:
    def read(out: Path) -> Any:
        files = sorted(path for pattern in patterns for path in out.glob(pattern))
        return [[path.name, hashlib.sha256(path.read_bytes()).hexdigest()] for path in files]

    return read


def _gallery(out: Path) -> Any:
    from handshift.embedding.gallery import Gallery

    found = Gallery.load(out / "family")
    entries = [[entry.name, Path(entry.source).name, entry.page, entry.words] for entry in found.entries]
    return [entries, hashlib.sha256(found.vectors.tobytes()).hexdigest()]


def _study(out: Path) -> Any:
    from handshift.study.results import load_results

    found = load_results(out / "results" / "killed")
    runs = sorted([run.variant, run.seed] for run in found.provenance.runs)
    weights = _digests("work/killed/*/*/training/weights-*.safetensors")(out)
    return [runs, sorted(digest for _, digest in weights)]


_TINY = ["--widths", "8,16,32", "--dimensions", 32, "--batch", 32, "--threads", 1, "--kindred", 0]
COMMANDS = [
    Command(
        "examine",
        lambda given, out: [
            *("examine", given / "letters", "--json", out / "found.json", "--out", out / "report"),
        ],
        _json("found.json", "pages"),
    ),
    Command(
        "hands",
        lambda given, out: ["hands", given / "letters", "--json", out / "found.json", "--tei", out / "a.xml"],
        _json("found.json", "pages", "hands"),
    ),
    Command(
        "enroll",
        lambda given, out: ["enroll", "Ann", given / "whole", "--gallery", out / "family"],
        _gallery,
    ),
    Command(
        "identify",
        lambda given, out: [
            *("identify", *sorted((given / "whole").iterdir()), "--gallery", given / "family"),
            *("--json", out / "found.json"),
        ],
        _json("found.json", "pages"),
    ),
    Command(
        "maps score",
        lambda given, out: [
            *("maps", "score", given / "model", given / "maps", "--json", out / "found.json"),
        ],
        _json("found.json", "maps"),
    ),
    Command(
        "train embed",
        lambda given, out: [
            *("train", "embed", "--data", given / "shapes", "--cut", "picture", "--out", out / "runs"),
            *(*_TINY, "--steps", 60, "--evaluate-every", 20),
        ],
        _digests("runs/split.json", "runs/**/weights-00000060.safetensors"),
        progress="runs/**/metrics.jsonl",
    ),
    Command(
        "study run",
        lambda given, out: [
            *("study", "run", given / "killed.yaml", "--results", out / "results", "--work", out / "work"),
            *("--jobs", 1, "--draft"),
        ],
        _study,
        progress="work/killed/*/*/steps.log",
    ),
]


def rounds() -> Iterator[tuple[Command, int]]:
    """Three rounds of all commands in turn, then of those that journal pages, without an end.

    A training and a study, whose imports alone take seconds, would be most of the time.
    """
    journalled = [command for command in COMMANDS if command.progress == DONE]
    for number in itertools.count():
        turn = COMMANDS if number < 3 * len(COMMANDS) else journalled
        yield turn[number % len(turn)], number


def run_round(command: Command, number: int, folder: Path) -> dict[str, Any]:
    """Kill a command several times, run it to its end, and compare with a run that nobody killed."""
    for name in COMMAND_MODULES:
        load(name)
    inputs = trust_inputs.small_inputs(folder / "inputs")
    whole = folder / f"whole-{command.name.replace(' ', '-')}"
    if not (whole / ".whole.json").exists():
        shutil.rmtree(whole, ignore_errors=True)
        whole.mkdir(parents=True)
        _finish(command, inputs, whole)
        steps = command.steps(whole)
        (whole / ".whole.json").write_text(json.dumps({"outcome": command.outcome(whole), "steps": steps}))
    expected = json.loads((whole / ".whole.json").read_text())
    chance = random.Random(f"{command.name} {number}")
    out = folder / "killed"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    killed: Counter[str] = Counter()
    survivors = 0
    for left in range(KILLS, 0, -1):
        how = chance.choice(SIGNALS)
        process = command.start(inputs, out)
        begun = command.steps(out)
        wanted = chance.randint(begun, begun + max(0, expected["steps"] - 1 - begun) // left)
        if not _reached(command, out, wanted, process, chance.uniform(0.0, 0.4)):
            break  # it came to its end: this round has fewer kills
        assert process.pid is not None
        started = _children(process.pid)
        os.kill(process.pid, how)
        process.join(60)
        killed[how.name] += 1
        survivors += not _ended(started)
        if command.is_complete(out):
            break
    if not command.is_complete(out):
        _finish(command, inputs, out)
    lines = (out / DONE).read_text().split() if (out / DONE).exists() else []
    return {
        "command": command.name,
        "round": number,
        "kills": sum(killed.values()),
        "signals": dict(killed),
        "same": _as_json(command.outcome(out)) == _as_json(expected["outcome"]),
        "done_again": len(lines) - len(set(lines)),
        "left_over": len(list(out.rglob("*.part"))),
        "processes_left": survivors,
    }


def _as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


def _finish(command: Command, inputs: Path, out: Path) -> None:
    process = command.start(inputs, out)
    process.join(1800)
    if process.exitcode not in (0, 1, 5):
        output = (out / ".output").read_text()[-2000:]
        raise RuntimeError(f"{command.name}: exit {process.exitcode}\n{output}")


def _reached(
    command: Command, out: Path, steps: int, process: multiprocessing.process.BaseProcess, later: float
) -> bool:
    """Wait until a command has come so far and a moment has passed; whether it still runs then."""
    while command.steps(out) < steps and process.is_alive():
        time.sleep(0.01)
    time.sleep(later)
    return process.is_alive()


def _children(process: int) -> list[int]:
    """All processes below one, at whatever depth."""
    try:
        found = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [pid for child in map(int, found) for pid in (child, *_children(child))]


def _ended(processes: list[int], seconds: float = 30.0) -> bool:
    """Whether all processes that a killed command had started end by themselves; the others are killed."""
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        processes = [pid for pid in processes if _is_alive(pid)]
        if not processes:
            return True
        time.sleep(0.05)
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return False


def _is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
