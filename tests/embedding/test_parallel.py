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
from drawn_shapes import draw_identities
from ranks_at_work import SMOOTH, TINY, VARIANTS, JoinedTask, complain, gradients, learn, noise_task, train
from safetensors.torch import load_file
from torch import distributed as dist

from handshift.core.errors import HandshiftError
from handshift.embedding.train.distributed import CUTTING, backend, launch, torchrun_group
from handshift.training import TrainingConfig, fit


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


def test_each_process_of_torchrun_has_a_gpu_of_its_own_and_waits_for_the_cutting(monkeypatch):
    """Without GPUs: what torch is asked for."""
    asked = []
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setattr(torch.cuda, "set_device", lambda device: asked.append(("gpu", device)))
    monkeypatch.setattr(dist, "init_process_group", lambda name, timeout: asked.append((name, timeout)))
    for ended in ("barrier", "destroy_process_group"):
        monkeypatch.setattr(dist, ended, lambda ended=ended: asked.append((ended, None)))
    with torchrun_group("cuda"):
        asked.append(("work", None))
    assert asked[:2] == [("gpu", 3), ("nccl", CUTTING)]
    assert [name for name, _ in asked[2:]] == ["work", "barrier", "destroy_process_group"]


def test_a_training_takes_the_gpu_of_its_process(monkeypatch, tmp_path):
    class NoGpuError(Exception):
        pass

    def fabric(**asked):
        raise NoGpuError(asked)

    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)
    monkeypatch.setattr(sys.modules[fit.__module__], "Fabric", fabric)
    with pytest.raises(NoGpuError) as raised:
        fit(noise_task(), TrainingConfig(steps=1, accelerator="cuda"), tmp_path)
    assert raised.value.args[0]["devices"] == [3] and raised.value.args[0]["accelerator"] == "cuda"


@pytest.mark.skipif(sys.platform == "win32", reason="torchrun needs libuv there")
def test_two_machines_of_torchrun_share_the_gradient(learnt, tmp_path):
    on_two_machines(str(Path(__file__).with_name("learn_by_torchrun.py")), str(tmp_path))
    for rank in (0, 1):
        joined = load_file(tmp_path / f"gradients-{rank}.safetensors")
        spawned = load_file(learnt / f"gradients-{rank}.safetensors")
        assert joined.keys() == spawned.keys()
        assert all(torch.allclose(joined[name], spawned[name], atol=1e-6) for name in joined)


@pytest.mark.skipif(sys.platform == "win32", reason="torchrun needs libuv there")
def test_two_machines_train_the_network_of_two_processes(tmp_path):
    draw_identities(tmp_path / "shapes", identities=24, each=4)
    given = ["train", "embed", "--data", str(tmp_path / "shapes"), "--cut", "picture", "--kindred", "0"]
    given += ["--widths", "8,16,32", "--dimensions", "16", "--batch", "8", "--steps", "2", "--threads", "1"]
    on_two_machines("-m", "handshift", *given, "--out", str(tmp_path / "machines"))
    command = [sys.executable, "-m", "handshift", *given, "--devices", "2"]
    subprocess.run([*command, "--out", str(tmp_path / "processes")], check=True, capture_output=True)
    one, two = (tmp_path / name / "words.onnx" for name in ("machines", "processes"))
    assert one.read_bytes() == two.read_bytes()


def on_two_machines(*script: str) -> None:
    """Two launchers, as two machines have them, that meet at one address."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1"]
    command += ["--master-addr", "127.0.0.1", "--master-port", str(port)]
    paths = os.pathsep.join([str(Path(__file__).parent), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": paths}
    machines = [
        subprocess.Popen([*command, "--node-rank", str(rank), *script], env=environment) for rank in (0, 1)
    ]
    assert [machine.wait(timeout=600) for machine in machines] == [0, 0]


def test_an_error_of_one_process_is_raised_unchanged():
    with pytest.raises(HandshiftError, match=r"^the ink is dry$"):
        launch(complain, 1)
