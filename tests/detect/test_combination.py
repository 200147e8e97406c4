"""Detectors that leave torch behind, and their combination."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch
from hands import DIMENSIONS, draw, model
from sklearn.linear_model import LogisticRegression

from handshift.detect.combination import Combination, fit_combination, fit_weights
from handshift.detect.export import ExportError, export_detector
from handshift.detect.logistic import fit_logistic
from handshift.detect.mil import MODELS
from handshift.detect.network import NetworkDetector
from handshift.error import HandshiftError
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


def test_a_file_that_would_score_otherwise_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr("handshift.detect.export._TOLERANCE", -1.0)
    with pytest.raises(ExportError, match="exported scores differ"):
        export_detector(MODELS["mean-pool"](4), 4, tmp_path / "d.onnx")
    assert list(tmp_path.iterdir()) == []


def test_the_combination_is_at_least_as_good_as_its_best_part(network):
    rng = np.random.default_rng(2)
    mixed = np.arange(160) % 2 == 1
    bags = [draw(rng, 11 - m, m) for m in np.where(mixed, rng.integers(1, 6, 160), 0)]
    fitted = fit_combination(bags[:80], mixed[:80], model(), network)
    combined = [fitted.score(words).score for words in bags[80:]]
    alone = [auroc(mixed[80:], [part.score(words).score for words in bags[80:]]) for part in fitted._parts]
    assert auroc(mixed[80:], combined) > max(alone) - 0.02
    assert all(fitted.score(words).contribution.sum() == pytest.approx(1) for words in bags[:3])
    assert np.isfinite([fitted.score(draw(rng, size)).score for size in (1, 500)]).all()


def test_a_combination_comes_back_as_it_was_saved(network, tmp_path):
    rng = np.random.default_rng(3)
    bags = [draw(rng, 10, 4 * (i % 2)) for i in range(20)]
    fitted = fit_combination(bags, np.arange(20) % 2 == 1, model(), network)
    fitted.save(tmp_path)
    again = Combination.load(tmp_path)
    assert again.score(bags[1]).score == pytest.approx(fitted.score(bags[1]).score, abs=1e-12)
    (tmp_path / "relation-net.onnx").write_bytes(b"another")
    with pytest.raises(HandshiftError, match="fitted for another network"):
        Combination.load(tmp_path)
    (tmp_path / "combination.json").write_text("{}")
    with pytest.raises(HandshiftError, match="not a combination"):
        Combination.load(tmp_path)


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
    with pytest.raises(HandshiftError, match="both kinds"):
        fit_weights(np.ones((5, 3)), np.ones(5, bool))


def test_scoring_needs_no_torch():
    modules = "handshift.detect.combination, handshift.detect.baselines"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
