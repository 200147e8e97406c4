"""A training that was killed goes on, and ends where it would have ended."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch import Tensor
from toy_task import ToyTask

import handshift.training.checkpoint as checkpoint
from handshift.core.atomic import write_text
from handshift.training import TrainingConfig, fit
from handshift.training.checkpoint import load_progress
from handshift.training.journal import read_journal
from handshift.training.run_identity import OtherConfigError, claim
from handshift.training.tensors import identical, load_tensors

CONFIG = TrainingConfig(epochs=5, max_lr=1e-2, monitor="accuracy", clip=1.0, checkpoint_every=7, log_every=1)


def kill_this_process(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class KilledTask(ToyTask):
    """Dies in the 38th step."""

    calls = 0

    def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
        self.calls += 1
        if self.calls == 38:
            kill_this_process()
        return super().loss(batch)


def die_in_a_step(folder: Path) -> None:
    fit(KilledTask(), CONFIG, folder)


def die_between_the_weights_and_the_note_that_names_them(folder: Path) -> None:
    write = write_text

    def write_twice_then_die(path: Path | str, content: str) -> None:
        if Path(path).name == "last.json" and json.loads(content)["step"] == 21:
            kill_this_process()
        write(path, content)

    vars(checkpoint)["write_text"] = write_twice_then_die
    fit(ToyTask(), CONFIG, folder)


def die_in_the_middle_of_a_file(folder: Path) -> None:
    def fsync(number: int) -> None:
        if list(folder.glob("weights-00000014*")) and list(folder.glob(".weights-00000021*.part")):
            kill_this_process()

    os.fsync = fsync  # type: ignore[assignment]
    fit(ToyTask(), CONFIG, folder)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    fit(ToyTask(), CONFIG, folder)
    return folder


@pytest.mark.parametrize(
    ("die", "checkpointed"),
    [
        (die_in_a_step, 35),
        (die_between_the_weights_and_the_note_that_names_them, 14),
        (die_in_the_middle_of_a_file, 14),
    ],
)
def test_a_killed_training_ends_with_the_same_bits(
    die: Callable[[Path], None], checkpointed: int, uninterrupted: Path, tmp_path: Path
) -> None:
    child = multiprocessing.get_context("fork").Process(target=die, args=(tmp_path,))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    progress = load_progress(tmp_path)
    assert progress is not None
    assert progress.step == checkpointed

    result = fit(ToyTask(seed=0), CONFIG, tmp_path)
    whole = fit(ToyTask(), CONFIG, uninterrupted)
    for name in ("weights-00000050.safetensors", "optimizer-00000050.safetensors", "best.safetensors"):
        assert identical(load_tensors(tmp_path / name), load_tensors(uninterrupted / name)), name
        assert (tmp_path / name).read_bytes() == (uninterrupted / name).read_bytes()
    assert result.best_metrics == whole.best_metrics
    assert not list(tmp_path.glob(".*.part"))
    assert without_clock(tmp_path) == without_clock(uninterrupted)
    assert_nothing_twice_on_the_board(tmp_path)


def without_clock(folder: Path) -> list[dict[str, object]]:
    return [{k: v for k, v in line.items() if k != "seconds"} for line in read_journal(folder)]


def assert_nothing_twice_on_the_board(folder: Path) -> None:
    board = EventAccumulator(str(folder / "tensorboard"))
    board.Reload()
    steps = Counter(event.step for event in board.Scalars("train/loss"))
    assert steps == Counter(range(1, 51))


def test_ctrl_c_saves_the_step_it_interrupts(uninterrupted: Path, tmp_path: Path) -> None:
    class Interrupted(ToyTask):
        calls = 0

        def loss(self, batch: tuple[Tensor, Tensor]) -> tuple[Tensor, Mapping[str, float | Tensor]]:
            self.calls += 1
            if self.calls == 24:
                os.kill(os.getpid(), signal.SIGINT)
            return super().loss(batch)

    with pytest.raises(KeyboardInterrupt):
        fit(Interrupted(), CONFIG, tmp_path)
    progress = load_progress(tmp_path)
    assert progress is not None
    assert progress.step == 24
    fit(ToyTask(), CONFIG, tmp_path)
    name = "weights-00000050.safetensors"
    assert (tmp_path / name).read_bytes() == (uninterrupted / name).read_bytes()


def test_a_finished_training_is_not_done_again(uninterrupted: Path) -> None:
    class Untouchable(ToyTask):
        def batch(self, index: int) -> tuple[Tensor, Tensor]:
            raise AssertionError("asked for a batch")

    assert fit(Untouchable(), CONFIG, uninterrupted).steps == 50


def test_a_folder_of_another_configuration_is_refused_by_the_name_of_the_field(uninterrupted: Path) -> None:
    with pytest.raises(OtherConfigError, match=r"max_lr: there 0.01, here 0.5"):
        fit(ToyTask(), CONFIG.model_copy(update={"max_lr": 0.5}), uninterrupted)
    with pytest.raises(OtherConfigError, match="data: there not set, here abc"):
        fit(ToyTask(), CONFIG, uninterrupted, identity={"data": "abc"})


def test_a_field_that_is_newer_than_the_folder_is_ignored_at_its_default(tmp_path: Path) -> None:
    claim(tmp_path, {"steps": 5})
    claim(tmp_path, {"steps": 5, "groups": (2, 4)}, defaults={"steps": None, "groups": (2, 4), "unused": 1})
    with pytest.raises(OtherConfigError, match=r"groups: there \[2, 4\], here \[8\]"):
        claim(tmp_path, {"steps": 5, "groups": (8,)}, defaults={"groups": (2, 4)})
    with pytest.raises(OtherConfigError, match="steps: there 5, here None"):
        claim(tmp_path, {"steps": None}, defaults={"steps": None})


def test_a_training_begun_before_a_field_existed_is_resumed(uninterrupted: Path, tmp_path: Path) -> None:
    shutil.copytree(uninterrupted, tmp_path / "old")
    recorded = tmp_path / "old" / "training.json"
    older = json.loads(recorded.read_text("utf-8"))
    del older["weight_decay"]
    recorded.write_text(json.dumps(older), "utf-8")
    assert fit(ToyTask(), CONFIG, tmp_path / "old").steps == 50
    with pytest.raises(OtherConfigError, match=r"weight_decay: there 0.0005, here 0.1"):
        fit(ToyTask(), CONFIG.model_copy(update={"weight_decay": 0.1}), tmp_path / "old")


def test_processes_and_threads_prepare_the_same_batches(tmp_path: Path) -> None:
    config = TrainingConfig(steps=12, tensorboard=False)
    fit(ToyTask(), config, tmp_path / "thread")
    fit(ToyTask(), config.model_copy(update={"workers": 2}), tmp_path / "processes")
    name = "weights-00000012.safetensors"
    assert (tmp_path / "thread" / name).read_bytes() == (tmp_path / "processes" / name).read_bytes()
