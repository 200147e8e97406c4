"""Differentiable pen: pictures parametrised as B-spline strokes."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

LETTER = 16.5 / 64
"""x-height relative to the canvas's height, as in training pictures."""
_PER_CONTROL = 12
"""Points of the curve for each control point."""
_EDGE = 10.0
"""Slope of the ink's edge."""


class Pen(nn.Module):
    """Cubic B-splines through free control points, with variable pressure along the curve.

    curve c(t) = Σ_k B(t − k)·p_k; m(x) = σ√(2π)·Σ_t a(t)·|c'(t)|·G_σ(x − c(t)), which at the centre of
    a stroke is the pressure a in 0…1; ink(x) = sigmoid(10·(m(x) − θ)): a small θ makes a broad pen, a
    pressure below θ lifts it. Pictures are initialised as rows of joined loops of random slant and size.

    Args:
        count: Number of pictures.
        canvas: Height and width.
        generator: Source of the initialisation.
    """

    def __init__(self, count: int, canvas: tuple[int, int], generator: torch.Generator) -> None:
        super().__init__()
        self.height, self.width = canvas
        letter = LETTER * self.height
        controls = round(8 * self.width / letter)  # eight per loop
        self.points = nn.Parameter(_loops(count, controls, canvas, letter, generator))  # (count, controls, 2)
        self.pressure = nn.Parameter(2 + torch.randn(count, controls, generator=generator))
        self.broad = nn.Parameter(0.5 * torch.randn(count, 1, generator=generator))
        sigma = self.height / 64
        self._gain = math.sqrt(2 * math.pi) * sigma
        self.register_buffer("_basis", _basis(controls), persistent=False)  # (steps, controls)
        self.register_buffer("_down", _blur(self.height, sigma), persistent=False)
        self.register_buffer("_across", _blur(self.width, sigma), persistent=False)

    def forward(self) -> Tensor:
        """Draw the pictures; (count, 1, height, width) in 0…1."""
        basis = self.get_buffer("_basis")
        curve = torch.einsum("sk,nkd->nsd", basis, self.points)  # (count, steps, 2)
        moved, middle = curve.diff(dim=1), (curve[:, 1:] + curve[:, :-1]) / 2
        pressed = torch.sigmoid(self.pressure @ basis.T)[:, 1:]
        mass = pressed * (moved.square().sum(dim=2) + 1e-6).sqrt()
        blurred = self.get_buffer("_down") @ self._splatted(middle, mass) @ self.get_buffer("_across")
        ink = self._gain * blurred
        threshold = 0.2 + 0.5 * torch.sigmoid(self.broad)[..., None, None]
        return torch.sigmoid(_EDGE * (ink - threshold)) - torch.sigmoid(-_EDGE * threshold)

    def penalty(self) -> Tensor:
        """Penalise kinks and points outside the canvas."""
        unit = LETTER * self.height
        kinks = (self.points.diff(n=3, dim=1) / unit).square().mean()
        edge = torch.tensor([self.width - 1.0, self.height - 1.0])
        outside = F.relu(-self.points + 2) + F.relu(self.points - edge + 2)
        return 0.3 * kinks + (outside / unit).square().mean()

    def _splatted(self, places: Tensor, mass: Tensor) -> Tensor:
        """Distribute mass (count, steps) at places (count, steps, 2) over the four nearest pixels."""
        corner = places.detach().floor()
        part = places - corner
        column, row = corner.long().unbind(dim=2)
        picture = torch.zeros(len(places), self.height * self.width)
        for right in (0, 1):
            for down in (0, 1):
                share = (part[..., 0] if right else 1 - part[..., 0]) * (
                    part[..., 1] if down else 1 - part[..., 1]
                )
                x, y = column + right, row + down
                inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                at = (y.clamp(0, self.height - 1) * self.width + x.clamp(0, self.width - 1)).long()
                picture = picture.scatter_add(1, at, mass * share * inside)
        return picture.view(-1, 1, self.height, self.width)


def _loops(
    count: int, controls: int, canvas: tuple[int, int], letter: float, generator: torch.Generator
) -> Tensor:
    """A row of loops across the canvas: x = v·t + a·cos φ, y = b·sin φ, and a slant."""
    height, width = canvas

    def between(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(count, 1, generator=generator)

    t = torch.linspace(0, 1, controls)[None]
    phase = 2 * math.pi * (t * controls / 8 * between(0.9, 1.2) + between(0, 1))
    size = letter * between(0.4, 0.7) * (1 + 0.5 * torch.sin(phase * between(0.1, 0.4) + 6 * between(0, 1)))
    y = height / 2 + size * torch.sin(phase)
    x = 0.08 * width + 0.84 * width * t + letter * between(0.2, 0.5) * torch.cos(phase)
    x = x - between(-0.1, 0.5) * (y - height / 2)
    wander = 0.15 * letter * torch.randn(count, controls, 2, generator=generator)
    return torch.stack([x, y], dim=2) + wander


def _basis(controls: int) -> Tensor:
    """(steps, controls): uniform cubic B-spline weights of each control point."""
    t = torch.linspace(1, controls - 2, _PER_CONTROL * controls)[:, None] - torch.arange(controls)[None]
    far = t.abs()
    near = 2 / 3 - far.square() + far.pow(3) / 2
    outer = (2 - far).clamp_min(0).pow(3) / 6
    return torch.where(far < 1, near, outer)


def _blur(length: int, sigma: float) -> Tensor:
    """(length, length): a Gaussian of unit mass around each pixel, truncated at the border."""
    apart = torch.arange(length)[:, None] - torch.arange(length)[None]
    reach = max(1, math.ceil(2.5 * sigma))
    line = torch.exp(-torch.arange(-reach, reach + 1).float().square() / (2 * sigma**2))
    near = torch.exp(-apart.float().square() / (2 * sigma**2)) * (apart.abs() <= reach)
    return near / line.sum()
