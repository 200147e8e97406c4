"""SphereFace: a multiplicative margin on the angle."""

from __future__ import annotations

from handshift.embedding.train.margins.combined_margin import CombinedMargin


def sphereface(scale: float, margin: float = 1.35) -> CombinedMargin:
    """Build the SphereFace margin, logit_y = s·cos(m·θ_y) (Liu et al. 2017).

    Args:
        scale: s, the factor of all cosines.
        margin: m, the factor of the target's angle; above 0.

    Returns:
        The combined margin with m1 = m, m2 = 0, m3 = 0.
    """
    return CombinedMargin(scale, m1=margin, m2=0.0, m3=0.0)
