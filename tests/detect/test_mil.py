"""What holds for every learned detector."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from drawn_hands import DIMENSIONS, bags, draw, model

from handshift.detect.mil import MODELS, AbMil, ClamSb, DsMil, GatedAbMil
from handshift.detect.mil import evidence_net as divided
from handshift.detect.mil.ab_mil import Windows
from handshift.detect.mil.clam import _extremes
from handshift.detect.mil.relation_net import centred, cosines, row_quantiles, spectrum
from handshift.detect.partition.bipartition import ProjectedBag
from handshift.metrics import auroc

each = pytest.mark.parametrize("name", MODELS)


def make(name: str) -> torch.nn.Module:
    torch.manual_seed(0)
    return MODELS[name](DIMENSIONS).eval()


def some(count: int, words: int, seed: int = 0):
    x, label = bags(np.random.default_rng(seed), count, words, words // 3)
    return torch.from_numpy(x), torch.ones(count, words, dtype=torch.bool), torch.from_numpy(label).float()


@each
@torch.no_grad()
def test_padding_and_batching_change_nothing(name):
    model = make(name)
    alone = [some(1, size, size)[:2] for size in (1, 3, 7, 14)]
    words, mask = torch.full((4, 20, DIMENSIONS), 9.0), torch.zeros(4, 20, dtype=torch.bool)
    for row, (x, there) in enumerate(alone):
        words[row, : x.shape[1]], mask[row, : x.shape[1]] = x[0], there[0]
    together = model(words, mask)
    for row, (x, there) in enumerate(alone):
        output = model(x, there)
        assert together.logit[row] == pytest.approx(output.logit.item(), abs=1e-5)
        assert torch.allclose(together.contribution[row, : x.shape[1]], output.contribution[0], atol=1e-5)
        assert (together.contribution[row, x.shape[1] :] == 0).all()


@each
@torch.no_grad()
def test_contributions_are_parts_of_a_whole_for_one_word_and_for_five_hundred(name):
    model = make(name)
    for size in (1, 2, 500):
        words, mask, _ = some(1, size)
        output = model(words, mask)
        assert torch.isfinite(output.logit).all()
        assert (output.contribution >= 0).all() and output.contribution.sum() == pytest.approx(1.0, abs=1e-4)


@each
@torch.no_grad()
def test_order_matters_only_to_those_that_say_so_and_never_backwards(name):
    model = make(name)
    words, mask, _ = some(3, 12)
    output, back = model(words, mask), model(words.flip(1), mask)
    assert torch.allclose(output.logit, back.logit, atol=1e-5)
    assert torch.allclose(output.contribution, back.contribution.flip(1), atol=1e-5)
    order = torch.from_numpy(np.random.default_rng(1).permutation(12))
    shuffled = model(words[:, order], mask)
    if model.order_aware:
        assert not torch.allclose(output.contribution[:, order], shuffled.contribution, atol=1e-5)
    else:
        assert torch.allclose(output.logit, shuffled.logit, atol=1e-5)
        assert torch.allclose(output.contribution[:, order], shuffled.contribution, atol=1e-5)


@each
def test_a_second_of_training_lowers_the_loss_and_gradients_stay_finite(name):
    torch.manual_seed(0)
    model = MODELS[name](DIMENSIONS)
    x, mask, label = some(64, 14)
    x, mask = torch.cat([x, x[:, :1]], dim=1), torch.cat([mask, mask[:, :1] & False], dim=1)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    losses = []
    for _ in range(15):
        loss, _ = model.loss(x, mask, label)
        optimizer.zero_grad()
        loss.backward()
        gradients = [p.grad for p in model.parameters() if p.grad is not None]
        assert all(torch.isfinite(gradient).all() for gradient in gradients)
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.97 * losses[0]


@each
def test_one_word_and_one_word_repeated_have_finite_gradients(name):
    model = make(name)
    words = some(1, 6)[0].expand(2, -1, -1)[:, :1].repeat(1, 6, 1).requires_grad_()
    mask = torch.tensor([[True] * 6, [True] + [False] * 5])
    loss, _ = model.loss(words, mask, torch.tensor([1.0, 0.0]))
    loss.backward()
    assert torch.isfinite(words.grad).all()


def test_the_relation_net_hears_another_hand_it_was_never_shown():
    torch.manual_seed(0)
    model = MODELS["relation-net"](DIMENSIONS)
    x, mask, label = some(128, 12, seed=1)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(40):
        loss, _ = model.loss(x, mask, label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    x, mask, label = some(200, 12, seed=2)
    with torch.no_grad():
        logit = model(x, mask).logit
        same = model(x[:20, :1].repeat(1, 12, 1), mask[:20]).logit
    assert auroc(label.numpy().astype(int), logit.numpy()) > 0.85
    assert same.max() < logit[label == 1].median()


def test_ab_mil_is_the_source_s_formula():
    torch.manual_seed(1)
    model = AbMil(DIMENSIONS)
    x = some(1, 9)[0]
    windows = np.stack([x[0, i : i + 5].numpy().mean(axis=0) for i in range(5)])  # five windows of nine words
    p = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    h = windows @ p["embed.weight"].T + p["embed.bias"]
    scores = np.tanh(h) @ p["attend.weigh.weight"].T
    a = np.exp(scores + p["attend.weigh.bias"])
    a /= a.sum()
    logit = np.maximum((a * h).sum(axis=0), 0) @ p["classify.1.weight"].T + p["classify.1.bias"]
    output = model(x, torch.ones(1, 9, dtype=torch.bool))
    assert output.logit.item() == pytest.approx(float(logit[0]), abs=1e-5)
    words = np.array([a[max(0, i - 4) : i + 1].mean() for i in range(9)])  # a word lies in 1 to 5 windows
    assert output.contribution[0].detach().numpy() == pytest.approx(words / words.sum(), abs=1e-5)
    weights = model.attention(x, torch.ones(1, 9, dtype=torch.bool))[0, :5].detach().numpy()
    assert weights == pytest.approx(a[:, 0], abs=1e-5)


@pytest.mark.parametrize("name", ["ab-mil", "gated-ab-mil", "multi-scale"])
@torch.no_grad()
def test_fourteen_identical_words_contribute_equally(name):
    words = some(1, 1)[0].repeat(1, 14, 1)
    output = make(name)(words, torch.ones(1, 14, dtype=torch.bool))
    assert output.contribution[0].numpy() == pytest.approx(np.full(14, 1 / 14), abs=1e-6)


@torch.no_grad()
def test_the_ten_attention_weights_are_the_contributions_of_the_ten_instances():
    torch.manual_seed(0)
    model = AbMil(DIMENSIONS, stride=5).eval()
    words, mask, _ = some(3, 50)
    attention = model.attention(words, mask)
    assert attention.shape == (3, 10) and attention.sum(dim=1).numpy() == pytest.approx(np.ones(3))
    instances = model(words, mask).contribution.view(3, 10, 5).sum(dim=2)
    assert torch.allclose(attention, instances, atol=1e-6)


def test_the_source_s_instances_are_read_whole():
    x, mask, _ = some(1, 50)
    means, there = Windows(5, 5).means(x, mask)
    assert there.all() and means.shape == (1, 10, DIMENSIONS)
    assert torch.allclose(means[0], x[0].view(10, 5, DIMENSIONS).mean(dim=1), atol=1e-6)
    weights = torch.softmax(torch.arange(10.0), 0)[None]
    assert torch.allclose(
        Windows(5, 5).to_words(weights, mask), weights.repeat_interleave(5, 1) / 5, atol=1e-6
    )


def test_gated_attention_is_tanh_times_sigmoid():
    model = GatedAbMil(DIMENSIONS)
    h = torch.randn(1, 4, 128)
    a = model.attend
    inner = torch.tanh(h @ a.turn.weight.T + a.turn.bias) / (
        1 + torch.exp(-(h @ a.gate.weight.T + a.gate.bias))
    )
    expected = torch.softmax((inner @ a.weigh.weight.T + a.weigh.bias)[..., 0], dim=-1)
    assert torch.allclose(a(h, torch.ones(1, 4, dtype=torch.bool)), expected, atol=1e-6)


def test_ds_mil_asks_how_the_words_resemble_the_most_suspicious_one():
    model = DsMil(DIMENSIONS)
    x, mask, label = some(1, 6)
    h = model.embed(x[0])
    judged = model.instance_classifier(h)[:, 0]
    queries = model.query(h)
    weights = torch.softmax(queries @ queries[judged.argmax()] / np.sqrt(128), dim=0)
    bag = model.classify(weights @ h)[0]
    output = model(x, mask)
    assert output.logit.item() == pytest.approx(0.5 * (judged.max() + bag).item(), abs=1e-5)
    assert torch.allclose(output.contribution[0], weights, atol=1e-6)
    streams = torch.nn.functional.binary_cross_entropy_with_logits(
        torch.stack([judged.max(), bag]), label.repeat(2)
    )
    assert model.loss(x, mask, label)[0].item() == pytest.approx(streams.item(), abs=1e-5)


def test_clam_sorts_the_words_it_weighs_most_and_least():
    weights = torch.tensor([[0.1, 0.4, 0.2, 0.3, 0.0], [0.2, 0.5, 0.3, 0.0, 0.0]])
    mask = torch.tensor([[True] * 4 + [False], [True] * 3 + [False] * 2])
    highest, lowest = _extremes(weights, mask, 8)
    assert highest.tolist() == [[False, True, False, True, False], [False, True, False, False, False]]
    assert lowest.tolist() == [[True, False, True, False, False], [True, False, False, False, False]]


def test_clam_s_loss_is_seven_parts_bag_and_three_parts_instances():
    model = ClamSb(DIMENSIONS)
    x, mask, _ = some(1, 4)
    label = torch.ones(1)
    output = model(x, mask)
    order = output.contribution[0].argsort(descending=True)
    logits = model.instance_classifiers(model.embed(x[0]))[:, 1][order]
    bce = torch.nn.functional.binary_cross_entropy_with_logits
    instances = bce(logits, torch.tensor([1.0, 1.0, 0.0, 0.0]))
    expected = 0.7 * bce(output.logit, label) + 0.3 * instances
    assert model.loss(x, mask, label)[0].item() == pytest.approx(expected.item(), abs=1e-5)


@pytest.mark.parametrize(("linear", "hidden"), [("ds-mil", "ds-mil-mlp"), ("clam-sb", "clam-sb-mlp")])
@torch.no_grad()
def test_a_linear_bag_classifier_is_a_mean_of_instance_scores_and_a_hidden_layer_is_not(linear, hidden):
    """Why DS-MIL and CLAM stay near chance: such a mean cannot say whether instances belong together."""
    words, mask, _ = some(4, 10)
    for name in (linear, hidden):
        model = make(name)
        h = model.embed(model.standard(words))
        weights = model(words, mask).contribution
        bag = model.classify(torch.einsum("bn,bnd->bd", weights, h)).squeeze(-1)
        mean = (weights * model.classify(h).squeeze(-1)).sum(dim=1)
        assert torch.allclose(bag, mean, atol=1e-5) == (name == linear)


def test_the_spectrum_is_that_of_the_eigenvalues():
    x, mask, _ = some(2, 8)
    inner = centred(cosines(x, mask)[0], mask)
    values = torch.linalg.eigvalsh(inner.double()).clamp_min(0)
    expected = torch.stack([(values**p).sum(dim=1) ** (1 / p) for p in (1, 2, 3, 4)], dim=1)
    assert torch.allclose(spectrum(inner).double(), expected, atol=1e-5)


def test_row_quantiles_are_those_of_the_similarities_to_the_other_words():
    x, mask, _ = some(1, 8)
    similarity, pairs = cosines(x, mask)
    others = [np.delete(similarity[0, i].numpy(), i) for i in range(8)]
    expected = np.quantile(others, np.linspace(0, 1, 9), axis=1).T
    assert row_quantiles(similarity, pairs)[0].numpy() == pytest.approx(expected, abs=1e-5)


def test_the_evidence_net_weighs_every_block_as_the_partition_ratio_does():
    levels, words = model(), draw(np.random.default_rng(9), 5, 3)
    blocks = divided.every_block(torch.from_numpy(words)[None], torch.ones(1, 8, dtype=torch.float64))
    writer, session = torch.from_numpy(levels.writer), torch.from_numpy(levels.session)
    found = [ratios[0].numpy() for ratios in divided.log_ratios(blocks, writer, session)]
    part = blocks.length.numpy() < 8  # all words are no division
    runs = zip(blocks.start.tolist(), blocks.end.tolist(), strict=True)
    sums = np.array([words[start:end].sum(axis=0) for start, end in runs])
    expected = ProjectedBag(words, levels).log_ratios(sums[part], blocks.length.numpy()[part].astype(int))
    for own, other in zip(found, expected, strict=True):
        assert own[part] == pytest.approx(other, abs=1e-9)


@torch.no_grad()
def test_the_evidence_net_finds_the_foreign_block():
    net, rng = MODELS["evidence-net"](DIMENSIONS).eval(), np.random.default_rng(10)
    net.projection.mul_(10.0)
    hands = np.eye(DIMENSIONS)[np.repeat([0, 1], [10, 4])]
    words = torch.from_numpy(hands + 0.1 * rng.normal(size=hands.shape))[None].float()
    contribution = net(words, torch.ones(1, 14, dtype=torch.bool)).contribution[0]
    assert contribution[10:].min() > 3 * contribution[:10].max()
