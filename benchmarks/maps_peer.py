"""anomalib's Dinomaly and PatchCore beside ours: the same pictures, encoder, size and steps.

    python benchmarks/maps_peer.py --encoder DINOV2 [--tiles ../shared/data/magnetic_tile] [--steps 1000]
    python benchmarks/maps_peer.py --encoder DINOV2 --tiles MAGNETIC_TILE --no-maps --out FILE

DINOV2 is a DINOv2-derived ViT-S/14 that `transformers` reads; its weights are filled into anomalib's encoder
by name, since anomalib would fetch them from a hub. anomalib 2.7 is installed into --environment (about 6 GB,
once). Every method runs in a process of its own on one thread: seconds to train include the encoder, seconds
a map go from picture to score (ours from file to score), memory is the largest resident size. Both decoders
have --depth blocks of the encoder's width, the class token, the hard-mining loss, amsgrad and batches of 16.
anomalib steps its learning rate once an epoch, as Lightning does by default, so it runs both ways.

Not the same: anomalib encodes every picture in every step, ours once; its PatchCore takes blocks 5 and 9,
pools 3×3 patches and re-weights by nine neighbours, ours takes the means of blocks 2–5 and 6–9; its greedy
coreset of 1,000 is selected from all patches, ours from 20,000. Finished pieces are kept in --state.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from domain_means import domain_means
from journalled_pieces import add, rows
from peer_pictures import Pictures, maps, tiles
from result_file import Benchmark

HERE = Path(__file__).resolve().parent
PEER = "anomalib==2.7.*"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Of numpy's matrix products too, which torch does not decide."""
RETURNED_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
"""Freed arrays go back to the system. By its own rule glibc kept those of anomalib's coreset, 18 MB for every
patch selected from 30,000: 16 GB at a coreset of 1,000, on which the machine ran out of memory."""


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    options = benchmark.options
    options.add_argument("--encoder", type=Path, required=True)
    options.add_argument("--tiles", type=Path, help="folder of magnetic tiles; left out if not given")
    options.add_argument("--no-maps", action="store_true", help="tiles alone")
    options.add_argument("--environment", type=Path, default=Path("runs/anomalib"))
    options.add_argument("--train", type=int, default=320, help="normal maps of each domain")
    options.add_argument(
        "--test", type=int, default=100, help="normal and as many faulty maps of each domain"
    )
    options.add_argument("--pictures", type=int, default=300, help="tiles to learn from, and to test on")
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--depth", type=int, default=8)
    options.add_argument("--seed", type=int, default=42)
    options.add_argument("--state", type=Path, default=Path("runs/maps-peer.jsonl"))
    given = benchmark.begin()
    interpreter = environment(given.environment)
    given.state.parent.mkdir(parents=True, exist_ok=True)
    settings = [given.train, given.test, given.pictures, given.steps, given.depth, given.seed]
    key = json.dumps([benchmark.origin.commit, *settings])
    found = {row["piece"]: row["figures"] for row in rows(given.state) if row["key"] == key}
    with tempfile.TemporaryDirectory() as place:
        for name, pictures in data_sets(Path(place), given):
            for method, command in commands(pictures, interpreter, given).items():
                piece = f"{name}, {method}"
                if piece not in found:
                    found[piece] = measured(command, pictures)
                    add(given.state, {"piece": piece, "key": key, "figures": found[piece]})
                print(piece, json.dumps(found[piece]), flush=True)
    benchmark.write({"steps": given.steps, "depth": given.depth, "peer": PEER, "pieces": found})


def environment(folder: Path) -> str:
    """Interpreter of an environment with anomalib, which is made if it is missing."""
    interpreter = folder.absolute() / "bin" / "python"
    if not interpreter.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    probe = subprocess.run([interpreter, "-c", "import anomalib"], capture_output=True, check=False)
    if probe.returncode:
        print(f"installing {PEER} into {folder}", file=sys.stderr)
        subprocess.run([interpreter, "-m", "pip", "install", "-q", PEER], check=True)
    return str(interpreter)


def data_sets(place: Path, given: argparse.Namespace) -> Iterator[tuple[str, Pictures]]:
    """Maps, and tiles if there are any, each as folders for ours and arrays for the peer."""
    if not given.no_maps:
        yield "maps", maps(place / "maps", given.encoder, given.train, given.test)
    if given.tiles is not None:
        yield "tiles", tiles(place / "tiles", given.encoder, given.tiles, given.pictures)


def commands(pictures: Pictures, interpreter: str, given: argparse.Namespace) -> dict[str, list[str]]:
    """The call of every method, without the file it writes."""
    peer = [interpreter, str(HERE / "peer_anomalib.py"), str(pictures.arrays)]
    ours = [sys.executable, str(HERE / "peer_ours.py"), str(pictures.normal), str(pictures.data)]
    trained = ["--model", "dinomaly", "--steps", str(given.steps), "--depth", str(given.depth)]
    seed, encoder = ["--seed", str(given.seed)], ["--encoder", str(given.encoder)]
    return {
        "anomalib's PatchCore": [*peer, "OUT", "--model", "patchcore", *seed],
        "our PatchCore": [*ours, "OUT", "--model", "patchcore", *encoder, *seed],
        "our Dinomaly": [*ours, "OUT", *trained, *encoder, *seed],
        "anomalib's Dinomaly, rate by step": [*peer, "OUT", *trained, "--per-step", *seed],
        "anomalib's Dinomaly, rate by epoch": [*peer, "OUT", *trained, *seed],
    }


def measured(command: list[str], pictures: Pictures) -> dict[str, Any]:
    """Run a method, and compare its scores with the truth."""
    with tempfile.TemporaryDirectory() as home:
        out = Path(home) / "out.json"
        words = [str(out) if word == "OUT" else word for word in command]
        subprocess.run(words, env=os.environ | ONE_THREAD | RETURNED_MEMORY, check=True)
        record = json.loads(out.read_text(encoding="utf-8"))
    means = domain_means(pictures.domains, pictures.labels, np.array(record.pop("scores")))
    features = record.pop("first_features", None)
    if features is not None:
        record["largest_difference_of_features"] = float(np.abs(np.array(features) - pictures.features).max())
    return {**means, **record}


if __name__ == "__main__":
    main()
