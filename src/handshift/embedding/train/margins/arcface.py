"""ArcFace: an additive margin on the angle."""

from __future__ import annotations

from handshift.embedding.train.margins.combined_margin import CombinedMargin


def arcface(scale: float, margin: float = 0.5) -> CombinedMargin:
    """Build the ArcFace margin, logit_y = s·cos(θ_y + m) (Deng et al. 2019).

    Args:
        scale: s, the factor of all cosines.
        margin: m in radians, 0…π/2.

    Returns:
        The combined margin with m1 = 1, m2 = m, m3 = 0.
    """
    return CombinedMargin(scale, m1=1.0, m2=margin, m3=0.0)
