"""Training on several databases, from words to an exported network."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from striped_words import striped_words

from handshift.core.errors import HandshiftError
from handshift.embedding.train.databases_examination import HeldOut, examined
from handshift.embedding.train.databases_task import DatabasesTask, Part
from handshift.embedding.train.kept_network import kept_network
from handshift.embedding.train.presets import load_preset
from handshift.embedding.train.recipe import Recipe, identity_defaults, identity_of, training_config
from handshift.embedding.train.start_weights import load_start_weights, save_start_weights
from handshift.training import fit, load_weights
from handshift.training.run_identity import claim
from handshift.training.tensors import CheckpointError, load_tensors

TINY: dict[str, Any] = {
    "widths": (4, 6, 8), "dimensions": 8, "batch": 32, "words_each": 4, "steps": 6, "evaluate_every": 3,
    "databases": {"one": 2, "two": 1, "unseen": 0}, "groups": (2, 4), "average": 0.5, "pen": 0.5,
    "kindred": 0, "schedule": "constant", "margin_size": 0.2, "scale": 8,
}  # fmt: skip


def parts() -> dict[str, Part]:
    made = {}
    for number, (name, weight) in enumerate({"one": 2.0, "two": 1.0, "unseen": 0.0}.items()):
        words = striped_words(name, 6, seed=number)
        writers = tuple(f"{name}/{n}" for n in range(6))
        made[name] = Part(words, writers[:3] if weight else (), writers[3:] if weight else writers, weight)
    return made


def test_every_database_is_examined_on_its_own_held_out_writers() -> None:
    task = DatabasesTask(parts(), Recipe(**TINY))
    figures = task.evaluate()
    assert {"auc", "words_one", "pages_one", "words_unseen"} <= set(figures)
    assert figures["auc"] == pytest.approx(np.mean([figures[f"words_{n}"] for n in ("one", "two", "unseen")]))
    assert set(task.writers) == {f"{name}/{n}" for name in ("one", "two") for n in range(3)}


def test_pseudo_writers_are_classes_of_their_writers_database() -> None:
    task = DatabasesTask(parts(), Recipe(**TINY | {"kindred": 0.9}))
    classes = np.concatenate([task.batch(index)[1] for index in range(8)])
    writers = len(task.writers)
    assert classes.max() >= writers
    head = task.objective.head
    assert head.database.tolist() == [0, 0, 0, 1, 1, 1] * 5
    each = classes.reshape(-1, 8)  # two pages of four words
    assert (each == each[:, :1]).all()
    assert {0, 1, 2, 3, 4} >= set((classes // writers).tolist())
    plain = DatabasesTask(parts(), Recipe(**TINY))
    assert plain.batch(0)[1].max() < writers


def test_a_stopped_training_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    recipe = Recipe(**TINY)
    fit(DatabasesTask(parts(), recipe), training_config(recipe), tmp_path / "whole")

    class Stopped(DatabasesTask):
        calls = 0

        def loss(self, batch: tuple[torch.Tensor, torch.Tensor, torch.Tensor]):
            self.calls += 1
            if self.calls == 5:
                raise RuntimeError("the power is gone")
            return super().loss(batch)

    with pytest.raises(RuntimeError):
        fit(Stopped(parts(), recipe), training_config(recipe), tmp_path / "broken")
    fit(DatabasesTask(parts(), recipe), training_config(recipe), tmp_path / "broken")
    name = "weights-00000006.safetensors"
    one, other = (load_tensors(tmp_path / folder / name) for folder in ("whole", "broken"))
    assert all(torch.equal(one[key], other[key]) for key in one)


def test_the_average_is_what_is_examined_and_it_lags_behind_the_weights(tmp_path: Path) -> None:
    recipe = Recipe(**TINY)
    task = DatabasesTask(parts(), recipe)
    fit(task, training_config(recipe), tmp_path)
    assert task.kept is task.module["average"]
    average, network = (next(module.parameters()) for module in (task.kept, task.network))
    assert not torch.equal(average, network)
    assert (average - network).abs().max() < 0.1
    assert DatabasesTask(parts(), recipe.changed({"average": 0.0})).kept is not task.kept


def test_the_kept_network_is_opened_without_the_data(tmp_path: Path) -> None:
    recipe = Recipe(**TINY)
    task = DatabasesTask(parts(), recipe)
    fit(task, training_config(recipe), tmp_path / "training", identity=identity_of(recipe))
    load_weights(task.module, tmp_path / "training" / "best.safetensors")
    opened = kept_network(tmp_path)
    pictures = torch.rand(3, 1, 64, 96)
    assert torch.allclose(opened.network(pictures), task.kept.eval()(pictures), atol=1e-6)
    assert opened.figures["auc"] == json.loads((tmp_path / "training/best.json").read_text())["value"]
    with pytest.raises(HandshiftError, match="has not been evaluated yet"):
        kept_network(tmp_path / "elsewhere")


def test_another_training_begins_with_the_average_of_the_first(tmp_path: Path) -> None:
    recipe = Recipe(**TINY)
    first = DatabasesTask(parts(), recipe)
    fit(first, training_config(recipe), tmp_path / "training", identity=identity_of(recipe))
    save_start_weights(tmp_path, tmp_path / "start.safetensors")
    load_weights(first.module, tmp_path / "training" / "best.safetensors")
    second = DatabasesTask(parts(), recipe.changed({"seed": 99}))
    load_start_weights(second.module, tmp_path / "start.safetensors")
    pictures = torch.rand(3, 1, 64, 96)
    wanted = first.kept.eval()(pictures)
    for network in (second.network, second.kept):
        assert torch.allclose(network.eval()(pictures), wanted, atol=0.02)
    centres = [task.objective.head.centres for task in (first, second)]
    assert torch.allclose(centres[0], centres[1], atol=1e-2)
    other = DatabasesTask(parts(), recipe.changed({"widths": (4, 6, 10)}))
    with pytest.raises(CheckpointError, match="the weights of another network"):
        load_start_weights(other.module, tmp_path / "start.safetensors")


def test_words_of_a_page_get_one_pen() -> None:
    task = DatabasesTask(
        parts(), Recipe(**TINY | {"placing": 0, "stroke": 0, "ink": 0, "blur": 0, "pen": 2.0})
    )
    pictures, classes, _ = task.batch(0)
    darkest = pictures[:, 0].max(axis=(1, 2)).reshape(-1, 4)
    assert np.ptp(darkest, axis=1).max() < 0.06
    assert np.ptp(darkest[:, 0]) > 0.2
    assert (classes.reshape(-1, 8) == classes.reshape(-1, 8)[:, :1]).all()


def test_pairs_are_never_of_one_page_and_of_two_sessions_where_there_are_several() -> None:
    words = striped_words("one", 4, pages=3, sessions=True)
    held_out = HeldOut.of(words, np.unique(words.writer).tolist())
    one, two, same = held_out.pairs()
    assert (held_out.page[one] != held_out.page[two]).all()
    assert (held_out.session[one][same] != held_out.session[two][same]).all()
    assert (held_out.writer[one] == held_out.writer[two]).tolist() == same.tolist()


def test_vectors_that_name_the_writer_are_perfect_and_random_ones_are_not() -> None:
    words = striped_words("one", 4)
    held_out = HeldOut.of(words, np.unique(words.writer).tolist())
    names = np.unique(held_out.writer)
    perfect = (held_out.writer[:, None] == names).astype(np.float32)
    assert held_out.figures(perfect) == {"words": 1.0, "pages": 1.0}
    rng = np.random.default_rng(0)
    figures = examined({"one": held_out}, lambda crops: rng.normal(size=(len(crops), 8)).astype(np.float32))
    assert 0.3 < figures["auc"] < 0.7


def test_a_single_writer_cannot_be_examined() -> None:
    with pytest.raises(HandshiftError, match="two are needed"):
        HeldOut.of(striped_words("one", 1), ["one/0"])


def test_the_recipe_of_the_shipped_network_is_readable_and_names_its_databases() -> None:
    recipe = load_preset("words-4")
    assert recipe.databases["dhsd"] == 0
    assert sum(weight > 0 for weight in recipe.databases.values()) == 8


def test_a_run_recorded_before_these_fields_existed_is_resumed(tmp_path: Path) -> None:
    recipe = Recipe()
    older = {
        k: v for k, v in identity_of(recipe).items() if k not in ("databases", "groups", "average", "pen")
    }
    claim(tmp_path, older)
    claim(tmp_path, identity_of(recipe), identity_defaults())
    assert "databases" not in json.loads((tmp_path / "training.json").read_text("utf-8"))
