"""Tippett, PAV and ECE plots as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from handshift.evidence.lr.curves import ece, pav, tippett
from handshift.evidence.lr.labelled import Floats, Labelled

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 300.0, 210.0, 40.0, 34.0, 22.0
ORANGE, GREY, BLUE = "#d55e00", "#6f7780", "#0072b2"


@dataclass(frozen=True, slots=True)
class Line:
    """One curve of a plot."""

    x: Floats
    y: Floats
    colour: str
    name: str
    dash: str = ""
    steps: bool = False


def plots(known: Labelled) -> list[str]:
    """The three plots of log10 LRs."""
    shares, best, entropy = tippett(known), pav(known), ece(known)
    ends = np.array([known.scores.min(), known.scores.max()])
    return [
        _plot(
            "Tippett",
            "log10 LR",
            "share with as much or more",
            [
                Line(*shares.first, ORANGE, "more than one hand", steps=True),
                Line(*shares.second, GREY, "one hand", steps=True),
            ],
        ),
        _plot(
            "PAV",
            "log10 LR given",
            "best in hindsight",
            [Line(ends, ends, GREY, "wanted", "4 3"), Line(best.given, best.best, BLUE, "ratios")],
        ),
        _plot(
            "ECE",
            "log10 prior odds",
            "empirical cross-entropy",
            [
                Line(entropy.prior, entropy.none, GREY, "no evidence", "2 3"),
                Line(entropy.prior, entropy.given, ORANGE, "ratios"),
                Line(entropy.prior, entropy.best, BLUE, "best in hindsight", "5 3"),
            ],
        ),
    ]


def _plot(title: str, across: str, up: str, lines: Sequence[Line]) -> str:
    xs, ys = np.concatenate([line.x for line in lines]), np.concatenate([line.y for line in lines])
    x_axis, y_axis = (
        _axis(float(xs.min()), float(xs.max())),
        _axis(min(0.0, float(ys.min())), float(ys.max())),
    )

    def at(x: float, y: float) -> tuple[float, float]:
        right = LEFT + (WIDTH - LEFT - 8) * (x - x_axis[0]) / (x_axis[-1] - x_axis[0])
        return right, HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (y - y_axis[0]) / (y_axis[-1] - y_axis[0])

    parts = [f'<text x="{LEFT}" y="13" class="t">{escape(title)}</text>']
    for tick in x_axis:
        x, y = at(tick, y_axis[0])
        parts.append(f'<path d="M{x:.1f} {y:.1f}V{TOP}" class="g"/>')
        parts.append(f'<text x="{x:.1f}" y="{y + 12:.1f}" class="n" text-anchor="middle">{tick:g}</text>')
    for tick in y_axis:
        x, y = at(x_axis[0], tick)
        parts.append(f'<path d="M{x:.1f} {y:.1f}H{WIDTH - 8}" class="g"/>')
        parts.append(f'<text x="{x - 4:.1f}" y="{y + 3:.1f}" class="n" text-anchor="end">{tick:g}</text>')
    for place, line in enumerate(lines):
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        parts.append(
            f'<path d="{_path(line, at)}" fill="none" stroke="{line.colour}" stroke-width="1.8"{dash}/>'
        )
        label = f'<text x="{WIDTH - 8}" y="{TOP + 11 + 12 * place}" class="n" text-anchor="end"'
        parts.append(f'{label} fill="{line.colour}">{escape(line.name)}</text>')
    middle = (LEFT + WIDTH) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 4}" class="n" text-anchor="middle">{escape(across)}</text>'
    )
    parts.append(f'<text x="{WIDTH - 8}" y="13" class="n" text-anchor="end">{escape(up)}</text>')
    style = ".plot .t{font-size:12px;font-weight:bold}.plot .n{font-size:9.5px}"  # of this drawing alone
    style += ".plot .g{stroke:#8886;stroke-width:.5}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" class="plot" '
        f'font-family="sans-serif" fill="currentColor" role="img" aria-label="{escape(title)}">'
        f"<style>{style}</style>{''.join(parts)}</svg>"
    )


def _path(line: Line, at: Callable[[float, float], tuple[float, float]]) -> str:
    points = [at(float(x), float(y)) for x, y in zip(line.x, line.y, strict=True)]
    if not line.steps:
        return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    (x, y), rest = points[0], points[1:]
    return f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)


def _axis(low: float, high: float) -> list[float]:
    """Four to eight round numbers that hold both."""
    rough = max(high - low, 1e-6) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [round(float(tick * step), 10) for tick in np.arange(first, max(last, first + 1) + 1)]
