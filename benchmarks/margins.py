"""Time of a margin loss against pytorch-metric-learning, and memory of Partial FC at a million classes.

    python benchmarks/margins.py [--classes 10000 100000] [--rounds 15] [--many 1000000]

Forward and backward pass of 128 features of 128 dimensions, gradients for features and centres, one thread.
Ours and theirs take turns; the figure is the ratio of medians, and the ratio of the fastest rounds beside it
shows the undisturbed pass. Memory is the peak resident size of a fresh process that makes a head and its
optimizer and takes three steps, Python and torch included. Ends with status 1 if a ratio of medians is above
1 or Partial FC with a sparse gradient needs 4 GB.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import torch
from result_file import Benchmark
from torch import Tensor, nn

from handshift.embedding.train.heads import Head, make_head
from handshift.embedding.train.margins import make_margin

BATCH = DIMENSIONS = 128
LEARNERS = {
    "partial-fc, 10 % sampled, SparseAdam": ("partial-fc", True),
    "partial-fc, 10 % sampled, Adam": ("partial-fc", False),
    "plain, Adam": ("plain", False),
}


RIVALS = {
    "normalised-softmax": ("plain", "normalised-softmax", "NormalizedSoftmaxLoss"),
    "arcface": ("plain", "arcface", "ArcFaceLoss"),
    "cosface": ("plain", "cosface", "CosFaceLoss"),
    "sphereface": ("plain", "sphereface", "SphereFaceLoss"),
    "sub-center arcface": ("sub-center", "arcface", "SubCenterArcFaceLoss"),
}


def rivals(name: str, classes: int) -> tuple[Head, nn.Module]:
    from pytorch_metric_learning import losses

    head, margin, peer = RIVALS[name]
    ours = make_head(head, classes, DIMENSIONS, make_margin(margin, classes))
    return ours, getattr(losses, peer)(num_classes=classes, embedding_size=DIMENSIONS)


def seconds(
    module: nn.Module, loss: Callable[[Tensor, Tensor], Tensor], data: tuple[Tensor, Tensor]
) -> float:
    features = data[0].clone().requires_grad_()
    module.zero_grad(set_to_none=True)
    start = time.perf_counter()
    loss(features, data[1]).backward()
    return time.perf_counter() - start


def compare(classes: int, rounds: int) -> dict[str, dict[str, float]]:
    found = {}
    for name in RIVALS:
        torch.manual_seed(0)
        ours, theirs = rivals(name, classes)
        data = torch.randn(BATCH, DIMENSIONS), torch.randint(classes, (BATCH,))
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(rounds + 1):
            pair = seconds(ours, ours.loss, data), seconds(theirs, theirs, data)
            if turn:  # the first warms up
                times[0].append(pair[0])
                times[1].append(pair[1])
        mine, peer = (statistics.median(t) for t in times)
        found[name] = {
            "ours_ms": round(1000 * mine, 2),
            "pytorch_metric_learning_ms": round(1000 * peer, 2),
            "ratio": round(mine / peer, 3),
            "ratio_of_least": round(min(times[0]) / min(times[1]), 3),
        }
        print(f"{classes:>9,} classes  {name:20s} {found[name]}", file=sys.stderr)
    return found


def learn(learner: str, classes: int) -> None:
    """Three steps of a network and its head; prints peak memory and the time of the last step."""
    kind, sparse = LEARNERS[learner]
    head = make_head(
        kind, classes, DIMENSIONS, make_margin("adaface", classes), **({"sparse": True} if sparse else {})
    )
    network = nn.Linear(64, DIMENSIONS)
    centres = (torch.optim.SparseAdam if sparse else torch.optim.Adam)(head.parameters())
    optimizers = [torch.optim.Adam(network.parameters()), centres]
    for _ in range(3):
        start = time.perf_counter()
        labels = torch.randint(classes, (BATCH,))
        head.loss(network(torch.randn(BATCH, 64)), labels).backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
    step = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9  # Linux counts in KiB
    print(json.dumps({"peak_gb": round(peak, 2), "step_seconds": round(step, 2)}))


def apart(learner: str, classes: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--learn", learner, "--many", str(classes)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    print(f"{classes:>9,} classes  {learner}: {answer.strip()}", file=sys.stderr)
    return json.loads(answer)


def main() -> None:
    benchmark = Benchmark(__file__, __doc__)
    parser = benchmark.options
    parser.add_argument("--classes", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--many", type=int, default=1_000_000)
    parser.add_argument("--learn", choices=LEARNERS, help=argparse.SUPPRESS)
    if "--learn" in sys.argv:  # a process of its own, measured by the one that started it
        given = parser.parse_args()
        torch.set_num_threads(1)
        learn(given.learn, given.many)
        return
    given = benchmark.begin()
    warnings.simplefilter("ignore")  # pytorch-metric-learning's
    torch.set_num_threads(1)
    found = {
        "rounds": given.rounds,
        "batch": BATCH,
        "dimensions": DIMENSIONS,
        "time": {str(classes): compare(classes, given.rounds) for classes in given.classes},
        "memory": {str(given.many): {learner: apart(learner, given.many) for learner in LEARNERS}},
    }
    benchmark.write(found)
    slowest = max(row["ratio"] for rows in found["time"].values() for row in rows.values())
    sparse = found["memory"][str(given.many)][next(iter(LEARNERS))]
    sys.exit(int(slowest > 1.0 or sparse["peak_gb"] >= 4.0))


if __name__ == "__main__":
    main()
