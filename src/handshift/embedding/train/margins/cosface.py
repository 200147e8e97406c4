"""CosFace: an additive margin on the cosine."""

from __future__ import annotations

from handshift.embedding.train.margins.combined_margin import CombinedMargin


def cosface(scale: float, margin: float = 0.35) -> CombinedMargin:
    """Build the CosFace margin, logit_y = s·(cos θ_y − m) (Wang et al. 2018).

    Args:
        scale: s, the factor of all cosines.
        margin: m, subtracted from the target's cosine.

    Returns:
        The combined margin with m1 = 1, m2 = 0, m3 = m.
    """
    return CombinedMargin(scale, m1=1.0, m2=0.0, m3=margin)
