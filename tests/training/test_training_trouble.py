"""What goes wrong in a training is said by name, and what was saved stays whole."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError
from torch import Tensor
from toy_task import ToyTask

from handshift.core.atomic import WriteError
from handshift.core.folder_lock import FolderBusyError, locked
from handshift.training import NonFiniteError, TrainingConfig, fit
from handshift.training.checkpoint import load_progress
from handshift.training.evaluate import MonitorError
from handshift.training.tensors import load_tensors

QUICK = TrainingConfig(steps=20, log_every=1, tensorboard=False)


def test_a_nan_loss_stops_and_names_and_keeps_the_batch(tmp_path: Path) -> None:
    with pytest.raises(NonFiniteError, match=r"the loss is nan in step 13, batch 13 \(saved to"):
        fit(ToyTask(nan_at=13), QUICK, tmp_path)
    kept = load_tensors(tmp_path / "offending-batch-13.safetensors")
    assert kept["batch.0"].isnan().sum() == 1


def test_a_nan_loss_is_skipped_and_counted_when_asked(tmp_path: Path) -> None:
    task = ToyTask(nan_at=13)
    result = fit(task, QUICK.model_copy(update={"on_nan": "skip"}), tmp_path)
    assert result.skipped == 1
    assert all(torch.isfinite(tensor).all() for tensor in task.module.state_dict().values())


def test_an_infinite_gradient_under_a_finite_loss_is_caught(tmp_path: Path) -> None:
    class Steep(ToyTask):
        def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
            loss, values = super().loss(batch)
            weight = next(self.module.parameters())
            return loss + (weight - weight.detach()).abs().sqrt().sum(), values

    with pytest.raises(NonFiniteError, match="gradient values are NaN"):
        fit(Steep(), QUICK, tmp_path)


def test_a_misspelt_monitor_is_named_with_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(MonitorError, match="'acuracy' is not reported by this task, which reports accuracy"):
        fit(ToyTask(), QUICK.model_copy(update={"monitor": "acuracy"}), tmp_path)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"steps": 5, "leraning_rate": 1.0}, "leraning_rate"),
        ({}, "exactly one of `steps` and `epochs`"),
        ({"steps": 5, "epochs": 5}, "exactly one of `steps` and `epochs`"),
        ({"steps": 5, "patience": 2}, "`patience` needs `monitor`"),
        ({"steps": 5, "precision": "16-mixed"}, "needs a GPU"),
        ({"steps": 5, "schedule": "one-cycle"}, "onecycle"),
        ({"steps": 0}, "steps"),
    ],
)
def test_a_wrong_configuration_names_the_field(fields: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        TrainingConfig.model_validate(fields)


def test_a_full_disk_names_the_file_and_leaves_the_last_checkpoint_usable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = QUICK.model_copy(update={"checkpoint_every": 5})
    room = os.fsync

    def full(number: int) -> None:
        if list(tmp_path.glob(".weights-00000015*.part")):
            raise OSError(errno.ENOSPC, "No space left on device")
        room(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(WriteError, match=r"weights-00000015.safetensors: cannot be written \(No space left"):
        fit(ToyTask(), config, tmp_path)
    progress = load_progress(tmp_path)
    assert progress is not None
    assert progress.step == 10
    monkeypatch.setattr(os, "fsync", room)
    assert fit(ToyTask(), config, tmp_path).steps == 20


def test_two_trainings_cannot_write_to_one_folder(tmp_path: Path) -> None:
    with locked(tmp_path), pytest.raises(FolderBusyError, match="another run"):
        fit(ToyTask(), QUICK, tmp_path)
