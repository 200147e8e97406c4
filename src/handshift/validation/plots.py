"""Tippett, PAV and ECE plots of likelihood ratios as SVG; curves end where the observed ratios end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from handshift.calibration.isotonic import Isotonic
from handshift.calibration.labelled_scores import LabelledScores
from handshift.core.arrays import Floats

_PRIORS = 61


@dataclass(frozen=True, slots=True)
class Tippett:
    """For every log10 LR that occurred, the share of cases with as much or more."""

    first: tuple[Floats, Floats]
    second: tuple[Floats, Floats]
    """(log10 LR, share) where the first and where the second proposition is true."""


@dataclass(frozen=True, slots=True)
class Pav:
    """The reported log10 LR against the PAV-recalibrated one; perfect calibration lies on the diagonal."""

    given: Floats
    best: Floats
    """Only where both groups occur: beyond their overlap the PAV ratio is infinite and is not drawn."""


@dataclass(frozen=True, slots=True)
class Ece:
    """Empirical cross-entropy over prior odds: of the ratios, after PAV, and without evidence."""

    prior: Floats
    """log10 prior odds, within the range of the ratios."""
    given: Floats
    best: Floats
    none: Floats


def tippett(known: LabelledScores) -> Tippett:
    """Empirical survival functions of the log10 LR under either proposition."""
    sides = []
    for side in (known.first, ~known.first):
        values = np.sort(known.scores[side])
        sides.append((values, 1 - np.arange(values.size) / values.size))
    return Tippett(*sides)


def pav(known: LabelledScores) -> Pav:
    """Pool adjacent violators (PAV) on the ratios."""
    given = np.unique(known.scores)
    best = Isotonic.fit(known, misleading=0).log10_lr(given)
    finite = np.isfinite(best)
    return Pav(given[finite], best[finite])


def ece(known: LabelledScores) -> Ece:
    """ECE(o) = P₁·mean₁ log₂(1 + 1/(LR·o)) + P₂·mean₂ log₂(1 + LR·o), P₁ = o/(1 + o)  (Ramos 2007)."""
    reach = float(np.abs(known.scores).max()) or 1.0
    prior = np.linspace(-reach, reach, _PRIORS)
    best = Isotonic.fit(known, misleading=0).log10_lr(known.scores)
    curves = [cross_entropy(scores, known.first, prior) for scores in (known.scores, best, 0 * known.scores)]
    return Ece(prior, *curves)


def cross_entropy(
    log10_lr: Floats, first: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], prior: Floats
) -> Floats:
    """(priors,) of ratios (cases,) whose first proposition is true where `first` is."""
    natural = np.log(10) * (log10_lr[None, :] + prior[:, None])  # (priors, cases) posterior ln odds
    chance = 1 / (1 + 10.0**-prior)
    missed = np.logaddexp(0, -natural[:, first]).mean(axis=1)
    misled = np.logaddexp(0, natural[:, ~first]).mean(axis=1)
    return np.asarray((chance * missed + (1 - chance) * misled) / np.log(2))


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


def plots(known: LabelledScores, said: Callable[[str], str] = str) -> list[str]:
    """The three plots of log10 LRs; `said` puts their words into the language of the report."""
    shares, best, entropy = tippett(known), pav(known), ece(known)
    ends = np.array([known.scores.min(), known.scores.max()])
    return [
        _plot(
            said,
            "Tippett",
            "log10 LR",
            "share with as much or more",
            [
                Line(*shares.first, ORANGE, "more than one hand", steps=True),
                Line(*shares.second, GREY, "one hand", steps=True),
            ],
        ),
        _plot(
            said,
            "PAV",
            "log10 LR given",
            "after PAV (optimal)",
            [Line(ends, ends, GREY, "wanted", "4 3"), Line(best.given, best.best, BLUE, "ratios")],
        ),
        _plot(
            said,
            "ECE",
            "log10 prior odds",
            "empirical cross-entropy",
            [
                Line(entropy.prior, entropy.none, GREY, "no evidence", "2 3"),
                Line(entropy.prior, entropy.given, ORANGE, "ratios"),
                Line(entropy.prior, entropy.best, BLUE, "after PAV (optimal)", "5 3"),
            ],
        ),
    ]


def _plot(said: Callable[[str], str], title: str, across: str, up: str, lines: Sequence[Line]) -> str:
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
        parts.append(f'{label} fill="{line.colour}">{escape(said(line.name))}</text>')
    middle = (LEFT + WIDTH) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 4}" class="n" text-anchor="middle">{escape(said(across))}</text>'
    )
    parts.append(f'<text x="{WIDTH - 8}" y="13" class="n" text-anchor="end">{escape(said(up))}</text>')
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
    """Four to eight round tick values that span both."""
    rough = max(high - low, 1e-6) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = np.floor(low / step + 1e-9), np.ceil(high / step - 1e-9)
    return [round(float(tick * step), 10) for tick in np.arange(first, max(last, first + 1) + 1)]
