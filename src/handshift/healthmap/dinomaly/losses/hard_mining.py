"""Points that are given back well already pull less."""

from __future__ import annotations

from torch import Tensor


def slowed_easy_points(given_back: Tensor, distances: Tensor, easy: float, factor: float) -> Tensor:
    """The same values, whose gradient is multiplied by ``factor`` at the ``easy`` share of smallest distance.

    ``given_back`` (B, T, width), ``distances`` (B, T): the share is taken over the whole batch.
    """
    hard = int(distances.numel() * (1 - easy))
    if hard >= distances.numel():
        return given_back
    limit = distances.flatten().topk(max(hard, 1)).values[-1]
    is_easy = (distances < limit).unsqueeze(-1)
    slowed = given_back * factor + given_back.detach() * (1 - factor)
    return slowed.where(is_easy, given_back)
