"""Detectors that leave torch behind, and their combination."""

from __future__ import annotations

import shutil
import subprocess
import sys

import numpy as np
import pytest
import torch
from drawn_hands import DIMENSIONS, draw, model
from sklearn.linear_model import LogisticRegression

from handshift.bag.bagset import BagSet
from handshift.core.errors import HandshiftError
from handshift.core.onnx_export import ExportError
from handshift.detect.combination import Combination, fit_weights, parts_of
from handshift.detect.export_detector import export_detector
from handshift.detect.logistic_regression import fit_logistic
from handshift.detect.mil import MODELS
from handshift.detect.onnx_detector import NetworkDetector
from handshift.detect.score_bags import score_bags
from handshift.metrics import auroc


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("net") / "relation.onnx"
    export_detector(MODELS["relation-net"](DIMENSIONS), DIMENSIONS, path)
    return NetworkDetector(path)


@pytest.mark.parametrize("name", MODELS)
def test_every_network_gives_the_same_scores_without_torch(name, tmp_path):
    torch.manual_seed(0)
    made = MODELS[name](DIMENSIONS)
    assert export_detector(made, DIMENSIONS, tmp_path / "d.onnx") < 1e-4
    detector = NetworkDetector(tmp_path / "d.onnx")
    assert detector.order_aware == made.order_aware
    for size in (1, 40):
        words = draw(np.random.default_rng(1), size)
        scored = detector.score(words)
        with torch.no_grad():
            expected = made(torch.from_numpy(words[None]).float(), torch.ones(1, size, dtype=torch.bool))
        assert scored.score == pytest.approx(expected.logit.item(), abs=1e-4)
        assert scored.contribution == pytest.approx(expected.contribution[0].numpy(), abs=1e-4)


@pytest.mark.parametrize("name", ["ab-mil", "gated-ab-mil"])
def test_the_exported_file_has_the_ten_attention_weights_of_a_bag(name, tmp_path):
    torch.manual_seed(0)
    made = MODELS[name](DIMENSIONS, stride=5)
    export_detector(made, DIMENSIONS, tmp_path / "d.onnx")
    words = np.stack([draw(np.random.default_rng(seed), 50) for seed in range(3)])
    weights = NetworkDetector(tmp_path / "d.onnx").attention(words)
    assert weights.shape == (3, 10)
    assert weights.sum(axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    with torch.no_grad():
        expected = made.attention(torch.from_numpy(words).float(), torch.ones(3, 50, dtype=torch.bool))
    assert weights == pytest.approx(expected.numpy(), abs=1e-4)


def test_a_network_without_instances_says_that_it_has_no_attention(network):
    assert not network.has_attention
    with pytest.raises(HandshiftError, match="relation-net exports no attention over instances; ab-mil"):
        network.attention(np.zeros((1, 5, DIMENSIONS), np.float32))


def test_a_file_that_would_score_otherwise_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("handshift.detect.export_detector._TOLERANCE", -1.0)
    with pytest.raises(ExportError, match="outputs of the exported file differ"):
        export_detector(MODELS["mean-pool"](4), 4, tmp_path / "d.onnx")
    assert list(tmp_path.iterdir()) == []


def fitted_on(bags, label, network) -> Combination:
    parts = parts_of(model(), [network])
    scores = np.array([[part.score(words).score for part in parts.values()] for words in bags])
    return Combination(model(), [network], fit_weights(scores, [len(words) for words in bags], label))


@pytest.fixture(scope="module")
def fitted(network):
    rng = np.random.default_rng(3)
    return fitted_on([draw(rng, 10, 4 * (i % 2)) for i in range(60)], np.arange(60) % 2 == 1, network)


def as_set(bags) -> tuple[np.ndarray, BagSet]:
    """One array of all words, and the bags as rows of it."""
    sizes = [len(words) for words in bags]
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    total, label = int(offsets[-1]), np.zeros(len(bags), bool)
    names = np.full(len(bags), "")
    return np.concatenate(bags), BagSet(np.arange(total), offsets, np.zeros(total, bool), label, names, names)


def test_the_combination_is_at_least_as_good_as_its_best_part(network):
    rng = np.random.default_rng(2)
    mixed = np.arange(160) % 2 == 1
    bags = [draw(rng, 11 - m, m) for m in np.where(mixed, rng.integers(1, 6, 160), 0)]
    made = fitted_on(bags[:80], mixed[:80], network)
    combined = [made.score(words).score for words in bags[80:]]
    parts = made.parts.values()
    alone = [auroc(mixed[80:], [part.score(words).score for words in bags[80:]]) for part in parts]
    assert auroc(mixed[80:], combined) > max(alone) - 0.02
    assert all(made.score(words).contribution.sum() == pytest.approx(1) for words in bags[:3])
    assert np.isfinite([made.score(draw(rng, size)).score for size in (1, 500)]).all()


def test_a_set_of_bags_is_scored_as_bag_by_bag_whatever_their_sizes(fitted):
    rng = np.random.default_rng(5)
    bags = [draw(rng, size, size // 4) for size in (1, 14, 3, 40, 14, 90)]
    vectors, together = as_set(bags)
    scored = score_bags(fitted, vectors, together)
    each = [fitted.score(words) for words in bags]
    assert scored.score == pytest.approx([one.score for one in each], abs=1e-4)
    assert scored.contribution == pytest.approx(np.concatenate([one.contribution for one in each]), abs=1e-5)


def test_the_combination_reads_backwards(fitted):
    words = draw(np.random.default_rng(6), 9, 5)
    assert fitted.order_aware
    assert fitted.score(words[::-1]).score == pytest.approx(fitted.score(words).score, abs=1e-4)


def test_one_hand_repeated_scores_low_and_a_third_hand_does_not_lower_the_score(fitted):
    rng = np.random.default_rng(7)
    mixed = [draw(rng, 10, 4) for _ in range(20)]
    scores = np.array([fitted.score(words).score for words in mixed])
    same = [fitted.score(np.repeat(draw(rng, 1), 14, axis=0)).score for _ in range(8)]
    assert max(same) < np.quantile(scores, 0.1)
    more = [fitted.score(np.vstack([words, draw(rng, 3)])).score for words in mixed] - scores
    assert np.mean(more) > 0 and np.quantile(more, 0.1) > -1


def test_a_combination_comes_back_as_it_was_saved(fitted, tmp_path):
    words = draw(np.random.default_rng(8), 10, 4)
    fitted.save(tmp_path)
    again = Combination.load(tmp_path)
    assert list(again.parts) == ["partition", "leave-one-out", "relation-net"]
    assert again.score(words).score == pytest.approx(fitted.score(words).score, abs=1e-12)
    (tmp_path / "relation-net.onnx").write_bytes(b"another")
    with pytest.raises(HandshiftError, match="fitted for another network"):
        Combination.load(tmp_path)
    (tmp_path / "combination.json").write_text("{}")
    with pytest.raises(HandshiftError, match="not a combination"):
        Combination.load(tmp_path)


def test_two_networks_of_one_name_are_refused(network):
    with pytest.raises(HandshiftError, match="another relation-net"):
        parts_of(model(), [network, network])


def test_logistic_regression_agrees_with_scikit_learn():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 3))
    label = x @ [1.0, -0.5, 0.0] + rng.logistic(size=300) > 0.7
    weights, offset = fit_logistic(x, label, ridge=0.01)
    # scikit-learn sums over samples, whose weights average one under "balanced": C = 1 / (samples · ridge).
    other = LogisticRegression(C=1 / (300 * 0.01), class_weight="balanced", tol=1e-10).fit(x, label)
    assert weights == pytest.approx(other.coef_[0], abs=1e-4)
    assert offset == pytest.approx(other.intercept_[0], abs=1e-4)


def test_bags_of_one_kind_cannot_be_combined_on():
    with pytest.raises(HandshiftError, match="both classes"):
        fit_weights(np.ones((5, 3)), np.full(5, 14), np.ones(5, bool))


def test_scoring_needs_no_torch():
    modules = "handshift.detect.score_bags, handshift.detect.baselines, handshift.calibration.calibrate_pages"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_record_that_names_a_network_outside_its_folder_is_refused(fitted, tmp_path):
    fitted.save(tmp_path / "model")
    shutil.copy(tmp_path / "model" / "relation-net.onnx", tmp_path)
    record = tmp_path / "model" / "combination.json"
    record.write_text(record.read_text().replace('"relation-net.onnx"', '"../relation-net.onnx"'))
    with pytest.raises(HandshiftError, match="leads out of the folder"):
        Combination.load(tmp_path / "model")
