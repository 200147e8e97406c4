"""Benchmarks that set word networks side by side on several databases: their options, and the networks."""

from __future__ import annotations

import argparse
from pathlib import Path

from result_file import Benchmark

from handshift.embedding.embedder import Embedder
from handshift.models.shipped_models import find_model


def networks_benchmark(script: str, description: str | None) -> Benchmark:
    """A benchmark with options for databases, splits, part, networks and threads."""
    benchmark = Benchmark(script, description)
    options = benchmark.options
    options.add_argument("--data", type=Path, required=True, help="folder of the databases")
    options.add_argument("--splits", type=Path, default=Path("studies/splits"))
    options.add_argument(
        "--part", default="validation", help="part of the splits; databases.py takes several: a+b"
    )
    options.add_argument("--model", action="append", default=[], help="a shipped model; may be repeated")
    options.add_argument("--network", type=Path, action="append", default=[], help="an ONNX file; likewise")
    options.add_argument("--threads", type=int, default=1)
    return benchmark


def embedders(given: argparse.Namespace) -> dict[str, Embedder]:
    """The networks that were asked for, by the name of the model or the path of the file."""
    shipped = {name: find_model(name).embedder(given.threads) for name in given.model}
    return shipped | {str(path): Embedder(path, given.threads) for path in given.network}
