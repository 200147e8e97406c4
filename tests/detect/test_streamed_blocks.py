"""Evidence-net's exported graph streams its blocks: memory grows with the words, not with their square."""

from __future__ import annotations

import resource
import sys

import numpy as np
import onnx
import pytest
import torch

from handshift.detect.export_detector import export_detector
from handshift.detect.mil.evidence_net import EvidenceNet, block_ratios, every_block, streamed_ratios
from handshift.detect.onnx_detector import NetworkDetector
from handshift.models.shipped_models import find_model

NETWORK = find_model().folder / "evidence-net.onnx"
DIMENSIONS = find_model().covariances().mean.size


def words(count: int) -> np.ndarray:
    random = np.random.default_rng(count)
    hands = random.normal(size=(2, DIMENSIONS))[(np.arange(count) > 0.7 * count).astype(int)]
    rows = 0.6 * hands + random.normal(size=(count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("most", [1, 7, 65, 66, 1000])
def test_blocks_at_a_time_or_together_are_the_same(most):
    x = torch.from_numpy(words(11)).double().unsqueeze(0)
    blocks = every_block(x, torch.linspace(0.5, 2.0, 11, dtype=torch.double).unsqueeze(0))
    given = (blocks.sums, blocks.weights, blocks.start, blocks.end)
    variances = torch.linspace(0.1, 1.0, DIMENSIONS).double(), torch.linspace(0.05, 0.3, DIMENSIONS).double()
    together = block_ratios(*given, *variances)
    for one, other in zip(together, streamed_ratios(*given, *variances, most), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("count", [1, 2, 14, 90, 300, 400])
def test_the_shipped_file_scores_as_the_network_that_holds_all_blocks(count, tmp_path):
    """Trained weights in torch, every block at once, against the file that streams them."""
    weights = {one.name: onnx.numpy_helper.to_array(one) for one in onnx.load(str(NETWORK)).graph.initializer}
    network = EvidenceNet(DIMENSIONS)
    left = sorted((name for name in weights if name.startswith("onnx::")), key=lambda n: -weights[n].size)
    given = {name: weights[name] for name in network.state_dict() if name in weights}
    given |= {"precision.0.weight": weights[left[0]].T, "precision.2.weight": weights[left[1]].T}
    given.setdefault("mlp.2.bias", weights["linear.bias"])  # equal gradients: the file keeps one of the two
    network.load_state_dict({name: torch.from_numpy(value.copy()) for name, value in given.items()})
    bag = words(count)
    with torch.no_grad():
        wanted = network.eval()(torch.from_numpy(bag)[None], torch.ones(1, count, dtype=torch.bool))
    found = NetworkDetector(NETWORK).score(bag)
    assert abs(found.score - float(wanted.logit[0])) < 1e-4
    assert np.abs(found.contribution - wanted.contribution[0].numpy()).max() < 1e-4


@pytest.mark.skipif(sys.platform == "win32", reason="there is no getrusage")
def test_a_page_of_800_words_takes_no_gigabyte():
    """It took 1.2 GB when all 320,400 blocks were held together."""
    detector = NetworkDetector(NETWORK)
    detector.score(words(14))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    detector.score(words(800))
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 < 300 << 20


def test_every_exported_evidence_net_streams(tmp_path):
    export_detector(EvidenceNet(8), 8, tmp_path / "net.onnx")
    nodes = {node.op_type for node in onnx.load(str(tmp_path / "net.onnx")).graph.node}
    assert "Loop" in nodes
