"""Several processes take the steps that one would take with all their words."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
import torch
from ranks_at_work import SMOOTH, TINY, VARIANTS, JoinedTask, complain, gradients, learn, noise_task, train
from safetensors.torch import load_file

from handshift.core.errors import HandshiftError
from handshift.embedding.train.distributed import backend, launch


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """Two processes at work, once for all tests: starting them takes seconds."""
    folder = tmp_path_factory.mktemp("ranks")
    assert launch(partial(learn, folder), 2) == f"rank 0, then {TINY['steps']}"
    return folder


def weights(folder, head):
    return [load_file(folder / head / f"{rank}.safetensors") for rank in (0, 1)]


def figures(folder, rank=0):
    """Steps, metrics, and the loss of each step."""
    return json.loads((folder / f"{rank}.json").read_text())


def test_the_gradient_is_that_of_all_processes_words_in_one_batch(learnt):
    whole = gradients(noise_task(JoinedTask), 0)
    for rank in (0, 1):
        shared = load_file(learnt / f"gradients-{rank}.safetensors")
        assert shared.keys() == whole.keys()
        for name, gradient in shared.items():
            assert torch.allclose(gradient, whole[name], rtol=1e-3, atol=1e-3), name


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_processes_have_the_loss_curve_of_one_with_the_same_global_batch(variant, learnt, tmp_path):
    task = noise_task(JoinedTask, **VARIANTS[variant])
    if variant == "partial-fc":  # each process draws the centres it holds; one process begins with theirs
        begun = [load_file(learnt / variant / f"begun-{rank}.safetensors") for rank in (0, 1)]
        with torch.no_grad():
            task.objective.head.centres.copy_(torch.cat([part["centres"] for part in begun]))
    train(tmp_path, task)
    curve = figures(tmp_path)[2]
    ranks = [figures(learnt / variant, rank)[2] for rank in (0, 1)]
    assert len(curve) == TINY["steps"] and max(curve) > min(curve) + 0.01
    both = [(one + other) / 2 for one, other in zip(*ranks, strict=True)]
    assert both == pytest.approx(curve, rel=0, abs=1e-4)


@pytest.mark.parametrize("head", ["plain", "partial-fc"])
def test_processes_stay_together_whatever_they_clip(learnt, head):
    first, second = weights(learnt, head)
    begun = dict(noise_task(**SMOOTH).network.named_parameters(prefix="network"))
    for name, parameter in begun.items():
        assert torch.allclose(first[name], second[name], atol=1e-6), name
        assert not torch.equal(first[name], parameter), name
    first, second = (figures(learnt / head, rank)[:2] for rank in (0, 1))
    assert first == second and first[0] == TINY["steps"]


def test_the_centres_of_partial_fc_are_shared_out(learnt):
    plain, parts = (
        [w["objective.head.centres"] for w in weights(learnt, head)] for head in ("plain", "partial-fc")
    )
    assert plain[0].shape == (4, 8) and torch.allclose(plain[0], plain[1], atol=1e-6)
    assert [tuple(part.shape) for part in parts] == [(2, 8), (2, 8)] and not torch.allclose(*parts)


def test_gpus_talk_by_nccl_and_processors_by_gloo():
    assert (backend("cuda"), backend("cpu")) == ("nccl", "gloo")


@pytest.mark.skipif(sys.platform == "win32", reason="torchrun needs libuv there")
def test_two_machines_of_torchrun_share_the_gradient(learnt, tmp_path):
    """Two launchers, as two machines have them, that meet at one address."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1"]
    command += ["--master-addr", "127.0.0.1", "--master-port", str(port)]
    script = [str(Path(__file__).with_name("learn_by_torchrun.py")), str(tmp_path)]
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    machines = [
        subprocess.Popen([*command, "--node-rank", str(rank), *script], env=environment) for rank in (0, 1)
    ]
    assert [machine.wait(timeout=600) for machine in machines] == [0, 0]
    for rank in (0, 1):
        joined = load_file(tmp_path / f"gradients-{rank}.safetensors")
        spawned = load_file(learnt / f"gradients-{rank}.safetensors")
        assert joined.keys() == spawned.keys()
        assert all(torch.allclose(joined[name], spawned[name], atol=1e-6) for name in joined)


def test_an_error_of_one_process_is_raised_unchanged():
    with pytest.raises(HandshiftError, match=r"^the ink is dry$"):
        launch(complain, 1)
