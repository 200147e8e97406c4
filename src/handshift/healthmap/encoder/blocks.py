"""Which blocks of a transformer are listened to."""

from __future__ import annotations

GROUPS = 2
MOST_BLOCKS = 8


def middle_blocks(depth: int) -> tuple[tuple[int, ...], ...]:
    """The middle two thirds of ``depth`` blocks, at most eight of them evenly spread, in two groups.

    12 → (2 3 4 5)(6 7 8 9) as published, 24 → (4 6 8 10)(12 14 16 18), 6 → (1 2)(3 4), 4 → (1)(2). The first
    blocks know only pixels, the last only what their own training asked for.
    """
    if depth < GROUPS:
        raise ValueError(f"an encoder of {depth} block has no middle; at least {GROUPS} are needed")
    span = max(GROUPS, depth * 2 // 3 // GROUPS * GROUPS)
    first = (depth - span) // 2
    chosen = tuple(range(first, first + span, max(1, span // MOST_BLOCKS)))
    half = len(chosen) // GROUPS
    return chosen[:half], chosen[half:]
