"""The same picture, moved and inked a little otherwise: a trait of a hand does not hang on one pixel grid.

A network with some channels left out at random: what pleases it by chance pleases no second network.

What a network has seen, as its batch normalisation remembers it.

The search for pictures that a network takes for a writer's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812
from torch.nn.modules.batchnorm import _BatchNorm

from handshift.embedding.inversion.pen import Pen
from handshift.embedding.inversion.pixels import Drawing, Pixels
from handshift.embedding.train.backbones.network import Network

TURN, SHEAR, SCALE, SHIFT, CURVE = 0.05, 0.06, 0.08, (0.10, 0.06), 0.3
"""Standard deviations: radians, tangent, logarithm, parts of width and height, logarithm of the ink's γ."""


def jittered(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """(count, 1, height, width) → the same shape, each picture changed by itself, gradients kept."""
    count, _, height, width = pictures.shape

    def drawn(spread: float) -> Tensor:
        return spread * torch.randn(count, generator=generator)

    angle, shear, scale = drawn(TURN), drawn(SHEAR), torch.exp(drawn(SCALE))
    stretch = torch.exp(drawn(SCALE))
    cos, sin, ratio = torch.cos(angle) * scale, torch.sin(angle) * scale, height / width
    rows = [
        torch.stack([cos * stretch, (shear - sin) * ratio, drawn(2 * SHIFT[0])], dim=1),
        torch.stack([sin / ratio, cos, drawn(2 * SHIFT[1])], dim=1),
    ]
    grid = F.affine_grid(torch.stack(rows, dim=1), list(pictures.shape), align_corners=False)
    moved = F.grid_sample(pictures, grid, align_corners=False)
    curve = torch.exp(drawn(CURVE))[:, None, None, None]
    return moved.clamp_min(1e-4) ** curve


@contextmanager
def thinned(network: nn.Module, share: float, generator: torch.Generator) -> Iterator[None]:
    """Within, each batch normalisation's channels are zeroed with probability `share`, the rest scaled up.

    Drawn anew in each pass and for each picture, so that a search through the network is one through many
    networks that were never trained.
    """

    def drop(layer: nn.Module, inputs: tuple[Tensor, ...], output: Tensor) -> Tensor:
        kept = torch.rand(output.shape[:2], generator=generator) >= share  # (batch, channels)
        return output * (kept / (1 - share)).view(*kept.shape, *(1,) * (output.ndim - 2))

    layers = [module for module in network.modules() if isinstance(module, _BatchNorm)]
    handles = [layer.register_forward_hook(drop) for layer in layers] if share else []
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


class SeenStatistics:
    """L8 = Σ_l mean_c [((μ_lc(x) − μ̂_lc)/σ̂_lc)² + (σ_lc(x)/σ̂_lc − 1)²] over batch-normalisation layers l.

    μ and σ are the mean and deviation of channel c of the layer's input over a batch, μ̂ and σ̂ the running
    ones of the training. The source takes ‖μ − μ̂‖² + ‖σ² − σ̂²‖²; in that, layers whose numbers happen to be
    large are all that counts, by a factor of 10⁶ in a small ResNet. Use it as a context; call it after
    each forward pass.
    """

    def __init__(self, network: nn.Module) -> None:
        self._layers = [module for module in network.modules() if isinstance(module, _BatchNorm)]
        self._handles: list[Any] = []
        self._distances: list[Tensor] = []

    def __enter__(self) -> Self:
        self._handles = [layer.register_forward_pre_hook(self._observe) for layer in self._layers]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._handles:
            handle.remove()

    def __call__(self) -> Tensor:
        """The distance of the last batch; 0 for a network without such layers."""
        total = torch.stack(self._distances).sum() if self._distances else torch.zeros(())
        self._distances.clear()
        return total

    def _observe(self, layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(layer, _BatchNorm)
        but_channels = [axis for axis in range(inputs[0].ndim) if axis != 1]
        variance, mean = torch.var_mean(inputs[0], dim=but_channels, correction=0)  # (channels,) each
        assert layer.running_mean is not None
        assert layer.running_var is not None
        spread = (layer.running_var + layer.eps).sqrt()
        off = ((mean - layer.running_mean) / spread).square()
        wide = ((variance + layer.eps).sqrt() / spread - 1).square()
        self._distances.append((off + wide).mean())


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
