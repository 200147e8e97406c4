"""Network inversion: gradient search for pictures that a network maps to a target.

The loss has the batch-normalisation prior L8; pictures are jittered and channels dropped at every step, so
that the result does not exploit one pixel grid or single channels.
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

from handshift.embedding.inversion.drawing import Drawing, Prior
from handshift.embedding.inversion.pen import Pen
from handshift.embedding.inversion.pixels import Pixels
from handshift.embedding.train.backbones.network import Network

ROTATION, SHEAR, SCALE, SHIFT, GAMMA = 0.05, 0.06, 0.08, (0.10, 0.06), 0.3
"""Standard deviations: radians, tangent, logarithm, shares of width and height, logarithm of the ink's γ."""


def jitter(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Apply a random affine map and ink γ to each picture, differentiably; (count, 1, height, width)."""
    count, _, height, width = pictures.shape

    def normal(spread: float) -> Tensor:
        return spread * torch.randn(count, generator=generator)

    angle, shear, scale = normal(ROTATION), normal(SHEAR), torch.exp(normal(SCALE))
    stretch = torch.exp(normal(SCALE))
    cos, sin, ratio = torch.cos(angle) * scale, torch.sin(angle) * scale, height / width
    rows = [
        torch.stack([cos * stretch, (shear - sin) * ratio, normal(2 * SHIFT[0])], dim=1),
        torch.stack([sin / ratio, cos, normal(2 * SHIFT[1])], dim=1),
    ]
    grid = F.affine_grid(torch.stack(rows, dim=1), list(pictures.shape), align_corners=False)
    moved = F.grid_sample(pictures, grid, align_corners=False)
    gamma = torch.exp(normal(GAMMA))[:, None, None, None]
    return moved.clamp_min(1e-4) ** gamma


@contextmanager
def channel_dropout(network: nn.Module, share: float, generator: torch.Generator) -> Iterator[None]:
    """Context in which batch-normalised channels are zeroed with probability `share` and the rest scaled up.

    The mask is drawn again in each forward pass and for each picture, so that the search runs through an
    ensemble of networks.
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


class BatchNormPrior:
    """Distance of a batch's statistics to those of the training, over batch-normalisation layers l.

    STANDARDISED: L8 = Σ_l mean_c [((μ_lc(x) − μ̂_lc)/σ̂_lc)² + (σ_lc(x)/σ̂_lc − 1)²].
    PAPER: L8 = Σ_l ‖μ_l(x) − μ̂_l‖² + ‖σ_l²(x) − σ̂_l²‖².

    μ and σ are the mean and deviation of channel c of the layer's input over a batch, μ̂ and σ̂ the running
    ones of the training. The source uses ‖μ − μ̂‖² + ‖σ² − σ̂²‖², which layers of large activations
    dominate, by a factor of 10⁶ in a small ResNet. Use it as a context; call it after each forward pass.
    """

    def __init__(self, network: nn.Module, prior: Prior = Prior.STANDARDISED) -> None:
        self._prior = prior
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
        """Return the distance of the last batch; 0 for a network without batch normalisation."""
        total = torch.stack(self._distances).sum() if self._distances else torch.zeros(())
        self._distances.clear()
        return total

    def _observe(self, layer: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        assert isinstance(layer, _BatchNorm)
        but_channels = [axis for axis in range(inputs[0].ndim) if axis != 1]
        variance, mean = torch.var_mean(inputs[0], dim=but_channels, correction=0)  # (channels,) each
        assert layer.running_mean is not None
        assert layer.running_var is not None
        if self._prior is Prior.PAPER:
            off = (mean - layer.running_mean).square().sum()
            self._distances.append(off + (variance - layer.running_var).square().sum())
            return
        spread = (layer.running_var + layer.eps).sqrt()
        off = ((mean - layer.running_mean) / spread).square()
        wide = ((variance + layer.eps).sqrt() / spread - 1).square()
        self._distances.append((off + wide).mean())


FeatureLoss = Callable[[Tensor], Tensor]
"""Raw features (pictures, dimensions) → loss, a scalar."""


@dataclass(frozen=True)
class Search:
    """Settings of the search; L = L_target + `prior`·L8 + `penalty`·penalty, averaged over `views`."""

    drawing: Drawing = Drawing.PEN
    steps: int = 150
    views: int = 1
    """Jittered copies of each picture in each step."""
    prior: float = 0.3
    """λ, the weight of the batch-normalisation prior L8."""
    penalty: float = 1.0
    """Weight of the parametrisation's penalty."""
    dropout: float = 0.05
    """Probability of `channel_dropout`."""
    seed: int = 0
    prior_form: Prior = Prior.STANDARDISED
    """Which L8; the paper's λ of 0.05 belongs to PAPER."""


def invert(
    network: Network,
    target: FeatureLoss,
    count: int,
    canvas: tuple[int, int],
    search: Search,
    on_step: Callable[[int], None] = lambda step: None,
) -> Tensor:
    """Search for pictures that minimise the target loss under jitter and channel dropout.

    All pictures are optimised together, because L8 compares the statistics of the whole batch with those of
    the training.

    Args:
        network: In evaluation mode.
        target: Loss of raw features.
        count: Number of pictures.
        canvas: Height and width.
        search: Settings.
        on_step: Called with the number of each finished step.

    Returns:
        (count, 1, height, width) in 0…1.
    """
    generator = torch.Generator().manual_seed(search.seed)
    drawing: Pen | Pixels
    drawing = (Pen if search.drawing is Drawing.PEN else Pixels)(count, canvas, generator)
    optimizer = torch.optim.Adam(_parameter_groups(drawing, canvas), betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step / search.steps))
    frozen = [parameter for parameter in network.parameters() if parameter.requires_grad]
    for parameter in frozen:
        parameter.requires_grad_(False)
    try:
        statistics = BatchNormPrior(network, search.prior_form)
        with statistics as prior, channel_dropout(network, search.dropout, generator):
            for step in range(search.steps):
                pictures = drawing()
                views = torch.cat([jitter(pictures, generator) for _ in range(search.views)])
                loss = target(network.features(views))
                loss = loss + search.prior * prior() + search.penalty * drawing.penalty()
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                schedule.step()
                on_step(step)
    finally:
        for parameter in frozen:
            parameter.requires_grad_(True)
    with torch.no_grad():
        return drawing().clamp(0, 1)


def _rate(progress: float) -> float:
    """Linear warm-up over the first tenth of the search times a cosine decay to 0."""
    return min(1.0, 10 * progress + 0.1) * 0.5 * (1 + math.cos(math.pi * progress))


def _parameter_groups(drawing: Pen | Pixels, canvas: tuple[int, int]) -> list[dict[str, object]]:
    """Learning rates: a fraction of the canvas for points, 0.1 for everything else."""
    if isinstance(drawing, Pixels):
        return [{"params": list(drawing.parameters()), "lr": 0.1}]
    return [
        {"params": [drawing.points], "lr": 0.01 * canvas[0]},
        {"params": [drawing.pressure, drawing.broad], "lr": 0.1},
    ]
