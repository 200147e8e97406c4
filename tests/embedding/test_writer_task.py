"""Every loss, head and network trains by the same task, and what it learns is asked of unseen writers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from handshift.core.errors import HandshiftError
from handshift.embedding.crops.collection import WordCollection
from handshift.embedding.crops.word_crop import HEIGHT, WIDTH
from handshift.embedding.train.recipe import Recipe, identity_of, training_config
from handshift.embedding.train.writer_task import WriterTask
from handshift.training import fit
from handshift.training.tensors import save_tensors

TINY: dict[str, Any] = {
    "widths": (4, 6, 8),
    "dimensions": 8,
    "batch": 8,
    "steps": 2,
    "words_each": 2,
    "evaluate_every": 2,
}
TRAIN, HELD_OUT = ("w0", "w1", "w2", "w3"), ("w4", "w5", "w6")


@pytest.fixture(scope="module")
def words():
    """Seven writers whose strokes lie at seven angles; w3 wrote on one day only."""
    rng = np.random.default_rng(0)
    crops, writers, sessions = [], [], []
    y, x = np.indices((HEIGHT, WIDTH))
    for number in range(7):
        for copy in range(12):
            phase = np.cos(0.25 * number) * x + np.sin(0.25 * number) * y + rng.uniform(0, 9)
            mask = (abs(x - WIDTH // 2) < rng.integers(30, 60)) & (abs(y - HEIGHT // 2) < 20)
            crops.append(np.where(mask & (np.sin(phase / 1.5) > 0), 255, 0).astype(np.uint8))
            writers.append(f"w{number}")
            sessions.append(1 if number == 3 else 1 + copy % 2)
    pages = np.arange(len(crops)).astype(str)
    return WordCollection(np.stack(crops), pages, np.array(writers), np.array(sessions), pages)


def task_for(words, **changes):
    return WriterTask(words, TRAIN, HELD_OUT, Recipe(**{**TINY, **changes}))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"backbone": "small-convnext"},
        {"margin": "softmax"},
        {"margin": "adaface", "margin_size": 0.4, "kindred": 0.0},
        {"margin": "combined", "options": {"margin.m1": 0.9, "margin.m3": 0.1}},
        {"margin": "curricularface", "head": "sub-center", "centres": 3, "terms": ("intra", "inter")},
        {"head": "partial-fc", "options": {"head.sample": 0.5}},
        {"loss": "contrastive"},
        {"loss": "triplet", "miner": "semi-hard"},
        {"loss": "tuplet", "across_sessions": False},
        {"precision": "bf16-mixed"},
        {"accumulate": 2, "margin_warmup": 0.5},
    ],
    ids=lambda changes: ",".join(map(str, changes.values())) or "default",
)
def test_whatever_is_chosen_trains(words, tmp_path, changes):
    task = task_for(words, **changes)
    before = [parameter.detach().clone() for parameter in task.network.parameters()]
    config = training_config(task.recipe).model_copy(update={"tensorboard": False})
    result = fit(task, config, tmp_path, identity=identity_of(task.recipe), progress_bar=False)
    assert result.steps == 2 and 0.0 <= result.metrics["auc"] <= 1.0
    assert any(not torch.equal(a, b) for a, b in zip(before, task.network.parameters(), strict=True))


def test_a_batch_depends_on_its_number_alone(words):
    first, again = task_for(words).batch(3), task_for(words).batch(3)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], task_for(words).batch(4)[0])


def test_a_margin_grows_over_its_warm_up(words):
    task = task_for(words, steps=10, accumulate=2, margin_warmup=0.4)
    strengths = [float(task.batch(index)[3]) for index in range(0, 20, 2)]
    assert strengths == pytest.approx([0.25, 0.5, 0.75] + 7 * [1.0])
    assert task.batch(0)[3] == task.batch(1)[3], "one step, one margin"
    late = task_for(words, steps=10, margin_delay=0.3, margin_warmup=0.2)
    assert [float(late.batch(index)[3]) for index in range(6)] == pytest.approx([0, 0, 0, 0.5, 1, 1])
    assert task_for(words).batch(0)[3] == 1.0, "without a warm-up the whole margin is there at once"


def test_pairs_are_made_across_sessions_where_there_are_several(words):
    _, classes, groups, _ = task_for(words, loss="triplet", sampling="balanced", kindred=0.0).batch(0)
    assert set(groups[classes == 0]) == {1, 2}
    assert len(set(groups[classes == 3])) == 2, "w3 has one session: its words count as apart"
    plain = task_for(words, loss="triplet", across_sessions=False).batch(0)[2]
    assert len(set(plain)) == len(plain)


def test_pseudo_writers_are_additional_classes(words):
    assert task_for(words, kindred=0.5).objective.head.classes == 20
    assert task_for(words, kindred=0.0).objective.head.classes == 4


def test_weights_to_begin_with_may_come_from_other_writers(words, tmp_path):
    first = WriterTask(words, TRAIN[:2], HELD_OUT, Recipe(**TINY, seed=1))
    save_tensors(tmp_path / "w.safetensors", first.module.state_dict())
    second = task_for(words, seed=2)
    second.load_start_weights(tmp_path / "w.safetensors")
    for name, weight in first.network.state_dict().items():
        assert torch.equal(weight, second.network.state_dict()[name])
    with pytest.raises(HandshiftError, match=r"another network; network\."):
        task_for(words, dimensions=16).load_start_weights(tmp_path / "w.safetensors")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"margin": "arcfase"}, "arcface"),
        ({"head": "none"}, "sub-center"),
        ({"loss": "siamese", "scale": None}, "contrastive"),
        ({"options": {"m1": 0.9}}, "begin with margin"),
        ({"options": {"head.centres": 3}}, "no option 'centres'"),
        ({"widths": (4, 8)}, "3 or 4 numbers"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(words, changes, message):
    with pytest.raises(HandshiftError, match=message):
        task_for(words, **changes)


def test_too_few_writers_to_evaluate_are_refused(words):
    with pytest.raises(HandshiftError, match="validation part cannot be evaluated"):
        WriterTask(words, TRAIN, ["w4"], Recipe(**TINY))
