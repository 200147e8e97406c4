"""The search for pictures that a network takes for a writer's."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from handshift.embed.backbones.network import Network
from handshift.embed.inversion.drawing import Drawing
from handshift.embed.inversion.jitter import jittered
from handshift.embed.inversion.pen import Pen
from handshift.embed.inversion.pixels import Pixels
from handshift.embed.inversion.statistics import SeenStatistics
from handshift.embed.inversion.thinning import thinned

Aim = Callable[[Tensor], Tensor]
"""Raw features (pictures, dimensions) → what there is to lose, a scalar."""


@dataclass(frozen=True)
class Search:
    """How long and with what weights; L = L_aim + `seen`·L8 + `tidy`·penalty, averaged over `views`."""

    drawing: Drawing = Drawing.PEN
    steps: int = 150
    views: int = 1
    """Changed copies looked at in each step."""
    seen: float = 0.3
    """Weight of the batch-normalisation prior L8."""
    tidy: float = 1.0
    thin: float = 0.05
    """Share of channels left out, see `thinned`."""
    seed: int = 0


def invert(
    network: Network,
    aim: Aim,
    count: int,
    canvas: tuple[int, int],
    search: Search,
    told: Callable[[int], None] = lambda step: None,
) -> Tensor:
    """(count, 1, height, width) pictures that the aim likes, whatever small change they undergo.

    The network must be in evaluation mode. All pictures are searched for at once, because L8 compares the
    statistics of the whole batch with those of the training.
    """
    generator = torch.Generator().manual_seed(search.seed)
    made: Pen | Pixels
    made = (Pen if search.drawing is Drawing.PEN else Pixels)(count, canvas, generator)
    optimizer = torch.optim.Adam(_groups(made, canvas), betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _pace(step / search.steps))
    frozen = [parameter for parameter in network.parameters() if parameter.requires_grad]
    for parameter in frozen:
        parameter.requires_grad_(False)
    try:
        with SeenStatistics(network) as seen, thinned(network, search.thin, generator):
            for step in range(search.steps):
                pictures = made()
                views = torch.cat([jittered(pictures, generator) for _ in range(search.views)])
                loss = aim(network.features(views)) + search.seen * seen() + search.tidy * made.penalty()
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                told(step)
    finally:
        for parameter in frozen:
            parameter.requires_grad_(True)
    with torch.no_grad():
        return made().clamp(0, 1)


def _pace(done: float) -> float:
    """Up within the first tenth of the search, then down to nothing along a cosine."""
    return min(1.0, 10 * done + 0.1) * 0.5 * (1 + math.cos(math.pi * done))


def _groups(made: Pen | Pixels, canvas: tuple[int, int]) -> list[dict[str, object]]:
    """Points move by parts of the canvas, everything else by tenths."""
    if isinstance(made, Pixels):
        return [{"params": list(made.parameters()), "lr": 0.1}]
    return [
        {"params": [made.points], "lr": 0.01 * canvas[0]},
        {"params": [made.pressure, made.broad], "lr": 0.1},
    ]
