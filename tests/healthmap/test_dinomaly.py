"""The decoder and its losses do what their formulas say."""

from __future__ import annotations

import itertools
import logging
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from handshift.core.errors import HandshiftError
from handshift.healthmap.dinomaly.cosine_distance import ReconstructionDistance, cosine_distances, with_level
from handshift.healthmap.dinomaly.decoder import Decoder, LinearAttention
from handshift.healthmap.dinomaly.dinomaly_recipe import DinomalyRecipe, parse_recipe
from handshift.healthmap.dinomaly.dinomaly_task import DinomalyTask
from handshift.healthmap.dinomaly.losses import (
    FixedScaleLoss,
    FocalLoss,
    GemLoss,
    HardMinedLoss,
    LearnedScaleLoss,
    MeanLoss,
    TopQLoss,
)
from handshift.healthmap.export_encoder import export_map_network
from handshift.training import NonFiniteError, fit

SHAPE = (4, 2, 6, 8)


@pytest.fixture
def pair() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(SHAPE), torch.randn(SHAPE, requires_grad=True)


def normal_features(count: int = 24, seed: int = 0) -> np.ndarray:
    """Features that vary in few directions, so that there is something to learn."""
    random = np.random.default_rng(seed)
    basis = np.random.default_rng(99).normal(size=(3, 2, 6, 8))
    return np.einsum("nk,kgtc->ngtc", random.normal(size=(count, 3)), basis).astype(np.float16)


def test_linear_attention_is_the_weighted_mean_it_claims_to_be():
    torch.manual_seed(0)
    attention = LinearAttention(8, heads=2)
    tokens = torch.randn(1, 5, 8)
    q, k, v = attention.qkv(tokens).reshape(1, 5, 3, 2, 4).permute(2, 0, 3, 1, 4)
    q, k = F.elu(q) + 1, F.elu(k) + 1
    weights = q @ k.transpose(-1, -2)
    weights = weights / weights.sum(-1, keepdim=True)  # (1, 2, 5, 5)
    wanted = attention.out((weights @ v).transpose(1, 2).reshape(1, 5, 8))
    torch.testing.assert_close(attention(tokens), wanted)


def test_early_encoder_blocks_are_given_back_by_late_decoder_blocks():
    decoder = Decoder(8, 8, depth=2, heads=2, dropout=0.0).eval()
    groups = torch.randn(SHAPE)
    tokens = decoder.bottleneck(groups.mean(1))
    first = decoder.blocks[0](tokens)
    torch.testing.assert_close(decoder(groups)[:, 1], first)
    torch.testing.assert_close(decoder(groups)[:, 0], decoder.blocks[1](first))


def test_a_decoder_of_another_width_gives_the_encoders_width_back():
    assert Decoder(8, 12, depth=4, heads=3, dropout=0.2)(torch.randn(SHAPE)).shape == SHAPE


def test_hard_mining_keeps_the_value_and_slows_easy_points(pair):
    features, given = pair
    loss = HardMinedLoss(easy=0.5, factor=0.1, ramp=0)
    (slowed,) = torch.autograd.grad(loss(features, given, 0), given)
    plain_loss = HardMinedLoss(easy=0.0, ramp=0)
    (plain,) = torch.autograd.grad(plain_loss(features, given, 0), given)
    torch.testing.assert_close(loss(features, given, 0), plain_loss(features, given, 0))
    distances = cosine_distances(features, given)
    for group in range(2):
        order = distances[:, group].flatten().argsort()
        share = (slowed[:, group].norm(dim=-1) / plain[:, group].norm(dim=-1)).flatten()[order]
        torch.testing.assert_close(share[:12], torch.full((12,), 0.1))
        torch.testing.assert_close(share[12:], torch.ones(12))


def test_the_share_of_easy_points_rises_over_the_ramp():
    loss = HardMinedLoss(easy=0.9, ramp=1000)
    assert [loss.share(step) for step in (0, 500, 1000, 3000)] == [0, 0.45, 0.9, 0.9]


def test_gem_with_power_one_and_nothing_easy_is_the_mean(pair):
    torch.testing.assert_close(GemLoss(power=1, easy=0, ramp=0)(*pair, 0), MeanLoss()(*pair, 0))
    assert GemLoss(power=3, easy=0, ramp=0)(*pair, 0) > MeanLoss()(*pair, 0)


def test_top_q_counts_the_largest_of_the_batch_by_its_schedule(pair):
    loss = TopQLoss(q=5, ramp=200, least=2)
    assert [loss.percentage(step) for step in (0, 100, 200, 900)] == [100, 52.5, 5, 5]
    assert [loss.count(1000, step) for step in (0, 200)] == [1000, 50]
    assert TopQLoss(q=1).count(1000, 500) == 10
    assert TopQLoss(q=1, least=100).count(1000, 500) == 100, "the source's floor, where it is asked for"
    assert TopQLoss(q=0.01).count(1000, 500) == 1
    points = cosine_distances(*pair).mean(dim=1)
    torch.testing.assert_close(loss(*pair, 200), points.flatten().topk(2).values.mean())
    torch.testing.assert_close(TopQLoss(q=100, least=1)(*pair, 500), MeanLoss()(*pair, 0))
    by_map = TopQLoss(q=34, ramp=0, least=1, over="map")
    torch.testing.assert_close(by_map(*pair, 0), points.topk(2, dim=1).values.mean())


@pytest.mark.parametrize("over", ["batch", "map"])
def test_every_q_trains_other_weights_from_one_seed(over: str, tmp_path: Path):
    random = np.random.default_rng(0)
    train, held = random.normal(size=(16, 2, 96, 8)).astype(np.float16), normal_features(1)
    weights = []
    for q in (1, 2, 5, 10, 20):
        recipe = DinomalyRecipe(
            loss="top-q", options={"q": q, "ramp": 2, "over": over}, depth=2, heads=2, steps=4, warmup=1
        )
        task = DinomalyTask(recipe, train, ["A"] * 16, held)
        config = recipe.training().model_copy(update={"tensorboard": False})
        fit(task, config, tmp_path / str(q), progress_bar=False)
        weights.append(torch.cat([value.flatten() for value in task.module.decoder.parameters()]).detach())
    for first, second in itertools.combinations(weights, 2):
        assert not torch.equal(first, second)


def test_a_floor_of_top_q_that_binds_is_logged_once(caplog: pytest.LogCaptureFixture):
    loss = TopQLoss(q=1, ramp=0, least=100)
    with caplog.at_level(logging.WARNING):
        loss.count(1536, 0)
        loss.count(1536, 1)
    assert caplog.text.count("least 100 binds: 1 % of 1536 points are 15") == 1


def test_focal_lies_between_the_mean_and_the_maximum(pair):
    distances = cosine_distances(*pair)
    values = [FocalLoss(gamma)(*pair, 0).item() for gamma in (0.0, 2.0, 40.0)]
    assert values[0] == pytest.approx(distances.mean().item(), rel=1e-5)
    assert values[0] < values[1] < values[2] <= distances.max().item() + 1e-5


def test_scales_are_weighed_as_given_or_as_learned(pair):
    by_group = cosine_distances(*pair).mean(dim=(0, 2))
    torch.testing.assert_close(
        FixedScaleLoss([3, 1])(*pair, 0), (by_group * torch.tensor([0.75, 0.25])).sum()
    )
    learned = LearnedScaleLoss()
    optimizer = torch.optim.SGD(learned.parameters(), lr=0.5)
    for _ in range(200):
        optimizer.zero_grad()
        learned(pair[0], pair[1].detach(), 0).backward()
        optimizer.step()
    torch.testing.assert_close(learned.weights(2), (1 / by_group) / (1 / by_group).sum(), atol=1e-3, rtol=0)


@pytest.mark.parametrize("loss", ["mean", "hard-mined", "gem", "top-q", "focal", "scale-learned"])
def test_training_brings_normal_features_nearer_than_odd_ones(loss: str, tmp_path: Path):
    recipe = DinomalyRecipe(
        loss=loss, depth=2, heads=2, steps=60, warmup=5, batch=8, clip=None, rate=5e-3, auxiliary=0.1
    )
    train, held = normal_features(), normal_features(8, seed=1)
    task = DinomalyTask(recipe, train, ["A", "B"] * 12, held)
    before = task.evaluate()["distance"]
    fit(task, recipe.training().model_copy(update={"tensorboard": False}), tmp_path, progress_bar=False)
    odd = np.random.default_rng(5).normal(size=held.shape)
    after = task.evaluate()["distance"]
    assert after < 0.5 * before
    assert task.distances(odd).mean() > 1.2 * after
    assert sum(task.scale_weights()) == pytest.approx(1)


def test_a_forced_nan_is_caught_and_its_batch_kept(tmp_path: Path):
    features = normal_features()
    features[3] = np.nan
    recipe = DinomalyRecipe(depth=2, heads=2, steps=5, warmup=1, batch=24)
    task = DinomalyTask(recipe, features, ["A"] * 24, normal_features(4))
    with pytest.raises(NonFiniteError, match="loss is nan in step 0, batch 0"):
        fit(task, recipe.training(), tmp_path, progress_bar=False)
    assert (tmp_path / "offending-batch-0.safetensors").is_file()


def test_gradient_norms_and_nan_counts_are_on_the_board(tmp_path: Path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    recipe = DinomalyRecipe(depth=2, heads=2, steps=10, warmup=1, batch=4)
    fit(DinomalyTask(recipe, normal_features(), ["A"] * 24, normal_features(4)), recipe.training(), tmp_path,
        progress_bar=False)  # fmt: skip
    board = EventAccumulator(str(tmp_path / "tensorboard"))
    board.Reload()
    assert {"train/grad_norm", "train/grad_nan", "train/distance"} <= set(board.Tags()["scalars"])


def test_the_exported_decoder_measures_the_same_distances(tmp_path: Path):
    decoder = Decoder(8, 8, depth=2, heads=2, dropout=0.2)
    difference = export_map_network(
        ReconstructionDistance(decoder),
        torch.randn(SHAPE),
        tmp_path / "decoder.onnx",
        "features",
        "distances",
    )
    assert difference < 1e-4


def test_centred_features_are_compared_without_what_all_have_in_common(tmp_path: Path):
    recipe = DinomalyRecipe(depth=2, heads=2, steps=3, batch=4, warmup=0, centred=True)
    features, common = normal_features(8), np.float32(20) * np.eye(8, dtype=np.float32)[0]
    found = []
    for number, values in enumerate((features, features + common)):
        task = DinomalyTask(recipe, values, ["A"] * 8, values[:2])
        fit(task, recipe.training(), tmp_path / str(number), progress_bar=False)
        found.append(task.distances(values))
    np.testing.assert_allclose(found[0], found[1], atol=1e-3)
    file = tmp_path / "decoder.onnx"
    assert export_map_network(task.measure(), torch.from_numpy(values), file, "features", "distances") < 1e-4
    assert "centred" not in DinomalyRecipe().identity()


def test_with_a_level_beside_them_features_of_other_lengths_have_other_directions():
    features, level = torch.randn(SHAPE), torch.tensor([[[2.0]], [[3.0]]])
    assert cosine_distances(features, 3 * features).abs().max() < 1e-6
    longer = cosine_distances(with_level(features, level), with_level(3 * features, level))
    square = features.square().sum(-1)
    one, other = square + level[:, 0] ** 2, 9 * square + level[:, 0] ** 2
    torch.testing.assert_close(longer, 1 - (3 * square + level[:, 0] ** 2) / (one * other).sqrt())
    assert with_level(features, None) is features


@pytest.mark.parametrize("centred", [False, True])
def test_the_level_is_the_usual_length_of_normal_features(centred: bool, tmp_path: Path):
    recipe = DinomalyRecipe(depth=2, heads=2, steps=3, batch=4, warmup=0, lengths=True, centred=centred)
    features = normal_features(8) + np.float16(2)
    task = DinomalyTask(recipe, features, ["A"] * 8, features[:2])
    fit(task, recipe.training(), tmp_path / "run", progress_bar=False)
    centre = features.astype(np.float64).mean(axis=(0, 2), keepdims=True) if centred else 0.0
    squares = np.square(features - centre).sum(axis=-1).mean(axis=(0, 2))
    assert task.module.level is not None
    np.testing.assert_allclose(task.module.level[:, 0, 0].numpy(), np.sqrt(squares), rtol=1e-3)
    file = tmp_path / "decoder.onnx"
    example = torch.from_numpy(features.astype(np.float32))
    assert export_map_network(task.measure(), example, file, "features", "distances") < 1e-4
    assert recipe.identity()["lengths"] and "lengths" not in DinomalyRecipe().identity()


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"loss": "top-p"}, "top-p is not known"),
        ({"loss": "top-q", "options": {"p": 3}}, "options.*top-q"),
        ({"loss": "top-q", "options": {"q": 0}}, "percentage"),
        ({"depth": 3}, "even"),
        ({"dropout": 1.0}, "dropout"),
    ],
)
def test_a_recipe_that_cannot_work_is_refused_by_name(settings: dict, complaint: str):
    with pytest.raises(HandshiftError, match=complaint):
        parse_recipe(settings)


def test_class_and_register_tokens_pass_through_the_decoder_and_are_not_compared(tmp_path: Path):
    recipe = DinomalyRecipe(depth=2, heads=2, steps=2, batch=4, warmup=0, class_tokens=True)
    features = normal_features(8)
    prefixed = np.concatenate([features[:, :, :1] * 3, features], axis=2)
    task = DinomalyTask(recipe, prefixed, ["A"] * 8, prefixed[:2], prefix=1)
    assert task.distances(prefixed).shape == features.shape[:3]
    fit(task, recipe.training(), tmp_path, progress_bar=False)
    without = prefixed.copy()
    without[:, :, 0] = 0  # attention mixes the class token into every patch
    assert np.abs(task.distances(without) - task.distances(prefixed)).max() > 1e-6
