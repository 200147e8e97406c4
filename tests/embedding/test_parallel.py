"""Several processes take the steps that one would take with all their words."""

from __future__ import annotations

import json
from functools import partial

import pytest
import torch
from ranks_at_work import complain, gradients, learn, noise_task
from safetensors.torch import load_file

from handshift.core.errors import HandshiftError
from handshift.embedding.train.distributed import launch


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """Two processes at work, once for all tests: starting them takes seconds."""
    folder = tmp_path_factory.mktemp("ranks")
    assert launch(partial(learn, folder), 2) == "rank 0, then 4"
    return folder


def weights(folder, head):
    return [load_file(folder / head / f"{rank}.safetensors") for rank in (0, 1)]


def test_the_gradient_is_the_mean_of_the_processes_batches(learnt):
    apart = [gradients(noise_task(), index) for index in (0, 1)]
    for rank in (0, 1):
        shared = load_file(learnt / f"gradients-{rank}.safetensors")
        assert shared.keys() == apart[0].keys()
        for name, gradient in shared.items():
            assert torch.allclose(gradient, (apart[0][name] + apart[1][name]) / 2, rtol=1e-4, atol=1e-4), name


@pytest.mark.parametrize("head", ["plain", "partial-fc"])
def test_processes_stay_together_whatever_they_clip(learnt, head):
    first, second = weights(learnt, head)
    begun = dict(noise_task().network.named_parameters(prefix="network"))
    for name, parameter in begun.items():
        assert torch.allclose(first[name], second[name], atol=1e-6), name
        assert not torch.equal(first[name], parameter), name
    figures = [json.loads((learnt / head / f"{rank}.json").read_text()) for rank in (0, 1)]
    assert figures[0] == figures[1] and figures[0][0] == 4


def test_the_centres_of_partial_fc_are_shared_out(learnt):
    plain, parts = (
        [w["objective.head.centres"] for w in weights(learnt, head)] for head in ("plain", "partial-fc")
    )
    assert plain[0].shape == (4, 8) and torch.allclose(plain[0], plain[1], atol=1e-6)
    assert [tuple(part.shape) for part in parts] == [(2, 8), (2, 8)] and not torch.allclose(*parts)


def test_an_error_of_one_process_is_raised_unchanged():
    with pytest.raises(HandshiftError, match=r"^the ink is dry$"):
        launch(complain, 1)
