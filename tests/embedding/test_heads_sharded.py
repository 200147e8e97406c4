"""Two processes that hold half the centres each learn as one that holds all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from torch import distributed as dist
from torch import nn
from torch.multiprocessing.spawn import ProcessRaisedException, spawn
from torch.nn.parallel import DistributedDataParallel

from handshift.embedding.train.heads import PartialFC, Plain, keep_shards_apart, make_term
from handshift.embedding.train.margins import MARGINS, make_margin

CLASSES, DIMENSIONS, EACH, WORLD = 11, 6, 5, 2
STEPS = 2  # the second sees what the first left in running statistics


def pieces(margin):
    """Everything from one seed, in double precision, so that only a wrong gradient can differ."""
    torch.manual_seed(7)
    terms = [] if margin == "softmax" else [make_term("intra"), make_term("inter")]
    network = nn.Linear(4, DIMENSIONS).double()
    head = Plain(CLASSES, DIMENSIONS, make_margin(margin, CLASSES), terms).double()
    pictures = 3 * torch.randn(WORLD * EACH, 4, dtype=torch.float64)
    return network, head, pictures, torch.randint(CLASSES, (WORLD * EACH,)), terms


def alone(margin):
    network, head, pictures, labels, _ = pieces(margin)
    for _ in range(STEPS):
        network.zero_grad()
        head.zero_grad()
        loss = head.loss(network(pictures), labels)
        loss.backward()
    return {"loss": loss.detach(), "network": network.weight.grad, "centres": head.centres.grad}


class Model(nn.Module):
    def __init__(self, network, head):
        super().__init__()
        self.network, self.head = network, head

    def forward(self, pictures, labels):
        return self.head.loss(self.network(pictures), labels)


def shard(rank, margin, whole):
    network, _, pictures, labels, terms = pieces(margin)
    head = PartialFC(CLASSES, DIMENSIONS, make_margin(margin, CLASSES), terms, sample=1.0).double()
    with torch.no_grad():
        assert torch.cdist(*whole_centres(head)).min() > 0.1  # no shard begins as a copy of another
        head.centres.copy_(pieces(margin)[1].centres[head.first : head.first + head.held])
    model = Model(network, head)
    keep_shards_apart(model, head)
    parallel = DistributedDataParallel(model)
    mine = slice(rank * EACH, (rank + 1) * EACH)
    for _ in range(STEPS):
        parallel.zero_grad()
        loss = parallel(pictures[mine], labels[mine])
        loss.backward()
    torch.testing.assert_close(loss.detach(), whole["loss"])
    torch.testing.assert_close(network.weight.grad, whole["network"])
    rows = slice(head.first, head.first + head.held)
    torch.testing.assert_close(head.centres.grad, whole["centres"][rows])
    assert 0 < head.held < CLASSES


def whole_centres(head):
    both = [torch.zeros(CLASSES // 2 + 1, DIMENSIONS, dtype=torch.float64) for _ in range(WORLD)]
    padded = torch.zeros_like(both[0])
    padded[: CLASSES // 2] = head.centres[: CLASSES // 2]
    dist.all_gather(both, padded)
    return both[0][: CLASSES // 2], both[1][: CLASSES // 2]


def sampled(rank):
    torch.manual_seed(rank)
    head = PartialFC(CLASSES, DIMENSIONS, make_margin("adaface", CLASSES), sample=2)
    features, labels = torch.randn(2, DIMENSIONS, requires_grad=True), torch.tensor([4, 9])
    head.loss(features, labels).backward()
    touched = (head.centres.grad.abs().sum(dim=1) > 0).nonzero()[:, 0] + head.first
    assert len(touched) == 2 and {0: 4, 1: 9}[rank] in touched.tolist()
    assert features.grad is not None and torch.isfinite(features.grad).all() and features.grad.abs().sum() > 0
    assert head.logits(features, labels).shape == (4, head.held)


def work(rank, folder, wholes):
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=WORLD)
    for margin, whole in wholes.items():
        shard(rank, margin, whole)
        Path(folder, f"{margin}-{rank}").touch()
    sampled(rank)
    Path(folder, f"sampled-{rank}").touch()
    dist.barrier()  # a rank that leaves while the other still sends ends it with an abort
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def passed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    wholes = {margin: alone(margin) for margin in MARGINS}
    try:
        spawn(work, (str(folder), wholes), nprocs=WORLD)
        error = ""
    except ProcessRaisedException as raised:
        error = str(raised)
    return {path.name for path in folder.iterdir()}, error


@pytest.mark.parametrize("margin", MARGINS)
def test_sharded_and_unsharded_agree_in_loss_and_gradients(margin, passed):
    names, error = passed
    assert {f"{margin}-0", f"{margin}-1"} <= names, error


def test_each_rank_samples_from_its_own_classes(passed):
    names, error = passed
    assert {"sampled-0", "sampled-1"} <= names, error
