"""A recipe is checked as a whole, and presets say what they are named for."""

from __future__ import annotations

import pytest
import torch
from typer.testing import CliRunner

from handshift.cli.recipe_options import SPELLED
from handshift.cli.train import app
from handshift.core.errors import HandshiftError
from handshift.embedding.train.backbones import make_backbone
from handshift.embedding.train.heads.registry import HEADS, TERMS
from handshift.embedding.train.margins import MARGINS
from handshift.embedding.train.pair_losses import PAIR_LOSSES
from handshift.embedding.train.pair_losses.pair_loss import MINERS
from handshift.embedding.train.presets import PRESETS, load_preset
from handshift.embedding.train.recipe import Recipe, identity_of, training_config


def test_the_sources_recipe_is_what_the_source_says():
    source = load_preset("source")
    assert (source.backbone, source.hidden, source.dropout, source.dimensions) == ("vit-b16", 512, 0.2, 128)
    assert (source.margin, source.scale, source.margin_size, source.size) == ("arcface", 30, 0.5, 224)
    assert source.batch * source.accumulate == 64 * 5
    config = training_config(source)
    assert (config.epochs, config.schedule, config.max_lr, config.warmup) == (30, "onecycle", 1e-4, 0.1)
    assert (config.weight_decay, config.patience, config.max_hours) == (5e-4, 15, 4)
    changes = (source.placing, source.stroke, source.ink, source.blur, source.kindred, source.elastic)
    assert source.affine == 1 and not any(changes)


def test_the_sources_network_has_its_layers_and_size():
    source = load_preset("source")
    with torch.device("meta"):  # shapes alone: 86 million random numbers take their time
        network = make_backbone(
            source.backbone, source.dimensions, hidden=source.hidden, size=source.size, from_scratch=True
        )
    assert network.size == 224
    linear = [layer for layer in network.project if hasattr(layer, "in_features")]
    assert [(layer.in_features, layer.out_features) for layer in linear] == [(768, 512), (512, 128)]
    assert 85e6 < sum(int(p.numel()) for p in network.get_submodule("encoder").parameters()) < 87e6


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_whole_recipe(name):
    assert isinstance(load_preset(name), Recipe)


@pytest.mark.parametrize(("member", "steps", "seed"), [("member-1", 6000, 11), ("member-2", 3000, 13)])
def test_the_networks_of_words_4_have_their_recipes_beside_their_weights(member, steps, seed):
    recipe = load_preset(f"models/drafts/words-4/{member}.yaml")
    assert (recipe.steps, recipe.seed, recipe.schedule, recipe.rate) == (steps, seed, "onecycle", 1.5e-3)
    general = load_preset("words-4")
    assert (recipe.backbone, recipe.widths, recipe.dimensions) == ("small-resnet", general.widths, 128)
    assert recipe.databases is not None and recipe.databases["dhsd"] == 0


def test_options_count_more_than_the_preset():
    changed = load_preset("source").changed({"backbone": "small-resnet", "margin": "cosface", "steps": 10})
    assert (changed.steps, changed.epochs) == (10, None)
    assert changed.size is None, "a size belongs to its network"
    assert changed.margin_size is None, "radians of ArcFace are no cosines"
    assert changed.weight_decay == 5e-4


def test_a_preset_of_ones_own_is_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("margin: cosface\nmargin_size: 0.3\n")
    assert load_preset(str(path)).margin_size == 0.3
    path.write_text("margn: cosface\n")
    with pytest.raises(HandshiftError, match=r"mine\.yaml: margn"):
        load_preset(str(path))
    with pytest.raises(HandshiftError, match="shipped, source, words-4 or a YAML file"):
        load_preset("nonesuch")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": 5, "epochs": 5}, "`steps` or `epochs`"),
        ({"loss": "triplet", "sampling": "root"}, "balanced sampling"),
        ({"miner": "hard"}, "give `loss` too"),
        ({"batch": 1}, "batch"),
        ({"precision": "8"}, "precision"),
        ({"widths": ["24", "x"]}, "widths"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused_by_name(given, message):
    with pytest.raises(HandshiftError, match=message):
        Recipe().changed(given)


def test_half_precision_without_a_gpu_is_refused():
    with pytest.raises(HandshiftError, match="needs a GPU"):
        training_config(Recipe().changed({"precision": "16-mixed"}))


def test_hours_do_not_make_it_another_training():
    assert identity_of(Recipe()) == identity_of(Recipe().changed({"max_hours": 3.0}))
    assert identity_of(Recipe()) != identity_of(Recipe().changed({"blur": 0.0}))


def test_the_help_names_every_field_and_every_choice():
    message = CliRunner().invoke(app, ["embed", "--help"], terminal_width=200).output
    for name in Recipe.model_fields:
        assert SPELLED.get(name, f"--{name.replace('_', '-')}") in message
    for name in (*MARGINS, *HEADS, *PAIR_LOSSES, *MINERS, *TERMS):
        assert name in message
    assert message.count("Example") == 3
