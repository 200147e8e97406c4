"""A training on a failing disk, or with a clock that jumps, ends with the weights of one that had neither."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from toy_task import ToyTask

from handshift.core.atomic import WriteError
from handshift.training import TrainingConfig, fit
from handshift.training.tensors import identical, load_tensors

CONFIG = TrainingConfig(
    steps=20, max_lr=1e-2, monitor="accuracy", checkpoint_every=5, log_every=1, tensorboard=False
)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fit(ToyTask(), CONFIG, tmp_path_factory.mktemp("whole"), progress_bar=False).weights


@pytest.mark.parametrize("fault", ["ENOSPC", "EROFS", "EIO"])
@pytest.mark.parametrize("at", [1, 4, 9])
def test_a_failing_disk_is_one_error_and_the_training_goes_on(whole: Path, tmp_path: Path, disk, fault, at):
    disk.fail(fault, at)
    with pytest.raises(WriteError, match="cannot be written"):
        fit(ToyTask(), CONFIG, tmp_path, progress_bar=False)
    assert disk.syncs >= at
    disk.mend()
    weights = fit(ToyTask(), CONFIG, tmp_path, progress_bar=False).weights
    assert identical(load_tensors(weights), load_tensors(whole))
    assert not list(tmp_path.rglob("*.part"))


def test_a_clock_that_jumps_changes_nothing(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    times = iter(range(10**9, 0, -(10**6)))
    monkeypatch.setattr(time, "time", lambda: float(next(times)))
    weights = fit(ToyTask(), CONFIG, tmp_path, progress_bar=False).weights
    assert identical(load_tensors(weights), load_tensors(whole))
