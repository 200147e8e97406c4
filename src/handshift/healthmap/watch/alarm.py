"""k-of-n alarm with hysteresis, and its false-alarm rate by a Markov chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from handshift.core.errors import HandshiftError

LONGEST_WINDOW = 10
QUANTILES = 64
"""Of the uncertain flag probability, over which expected alarms are averaged."""


@dataclass(frozen=True, slots=True)
class FalseAlarms:
    """False alarms of a healthy machine whose maps are independent.

    Attributes:
        per_map: Alarms that start, per map.
        share: Share of the maps while the alarm is on. Where nearly every map is flagged an alarm hardly ever
            starts, because it hardly ever ends.
    """

    per_map: float
    share: float


@dataclass(frozen=True)
class AlarmRule:
    """The alarm starts when ``on`` of the last ``window`` maps are flagged and ends at ``off`` or fewer.

    Attributes:
        window: Number of maps, at most 10.
        on: Flagged maps that start the alarm.
        off: Flagged maps at which it ends, fewer than ``on``: the hysteresis.

    Raises:
        HandshiftError: Not 0 ≤ off < on ≤ window ≤ 10.
    """

    window: int = 5
    on: int = 3
    off: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.off < self.on <= self.window <= LONGEST_WINDOW:
            raise HandshiftError(
                f"alarm {self.on} of {self.window}, off at {self.off}: give 0 ≤ off < on ≤ window ≤ "
                f"{LONGEST_WINDOW}"
            )

    def states(self, flags: Iterable[bool]) -> list[bool]:
        """Whether the alarm is on after each map."""
        last: tuple[bool, ...] = ()
        alarm = False
        found: list[bool] = []
        for flag in flags:
            last = (*last, flag)[-self.window :]
            alarm = self.after(last, alarm)
            found.append(alarm)
        return found

    def false_alarms(self, flag_rate: float) -> FalseAlarms:
        """Expected false alarms of a healthy machine.

        Exact for independent maps, by the stationary distribution of the Markov chain over the last
        ``window`` flags and the state of the alarm. Maps of one warm-up or one assembly are not independent:
        more alarms then come in fewer clusters.

        Args:
            flag_rate: Probability that a normal map is flagged.

        Returns:
            Alarms per map, and the share of maps while one is on.
        """
        normal, flagged, starts = _chain(self)
        transition = (1 - flag_rate) * normal + flag_rate * flagged
        # π = πP and Σπ = 1; there is one such π, since normal maps lead every state back to the first.
        system = transition.T - np.eye(len(transition))
        system[-1] = 1
        share = np.linalg.solve(system, np.eye(len(transition))[-1])
        return FalseAlarms(float(flag_rate * (share @ starts)), float(share[1::2].sum()))

    def expected_false_alarms(self, held_out: int, target: float, joined: int = 1) -> FalseAlarms:
        """False alarms of a healthy machine, as expected before the held-out maps were drawn.

        A threshold at the k-th largest of n held-out scores, k = ⌊target·(n+1)⌋ or 1, flags normal maps with
        a probability that is Beta(k, n + 1 − k) itself. Alarms take several flags, so their mean is far above
        the alarms at the mean probability k/(n+1): by 2.8 times for 3 flags, 40 maps and 5 %.

        Args:
            held_out: Normal maps n on which the threshold rests.
            target: False-alarm rate of the threshold.
            joined: Sensors of which any flags a recording; their probabilities are added (Bonferroni).

        Returns:
            Exact for independent maps of one sensor, else upper bounds of the flag probability's.
        """
        return _expected(self, held_out, target, joined)

    def after(self, last: tuple[bool, ...], alarm: bool) -> bool:
        """Whether the alarm is on after the last flags, given whether it was on before."""
        count = sum(last)
        return count > self.off if alarm else count >= self.on


@lru_cache(maxsize=64)  # a page asks after every map
def _expected(rule: AlarmRule, held_out: int, target: float, joined: int) -> FalseAlarms:
    allowed = max(1, int(np.floor(target * (held_out + 1) + 1e-9)))
    middles = (np.arange(QUANTILES) + 0.5) / QUANTILES
    rates = np.minimum(1, joined * beta.ppf(middles, allowed, held_out + 1 - allowed))
    found = [rule.false_alarms(float(rate)) for rate in rates]
    return FalseAlarms(fmean(one.per_map for one in found), fmean(one.share for one in found))


@lru_cache(maxsize=8)
def _chain(rule: AlarmRule) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Transitions after a normal and after a flagged map, and whether a flagged map starts the alarm.

    States take turns: with the alarm off, and with it on.
    """
    states = [(bits, alarm) for bits in product((False, True), repeat=rule.window) for alarm in (False, True)]
    place = {state: number for number, state in enumerate(states)}
    moves = np.zeros((2, len(states), len(states)))
    starts = np.zeros(len(states))
    for (bits, alarm), number in place.items():
        for flag in (False, True):
            after = (*bits[1:], flag)
            later = rule.after(after, alarm)
            moves[int(flag), number, place[after, later]] = 1
            starts[number] += flag and later and not alarm
    return moves[0], moves[1], starts
