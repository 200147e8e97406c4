"""k-of-n alarm with hysteresis, and its false-alarm rate by a Markov chain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np

from handshift.core.errors import HandshiftError

LONGEST_WINDOW = 10


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
            alarm = self._next(last, alarm)
            found.append(alarm)
        return found

    def false_alarms_per_map(self, flag_rate: float) -> float:
        """Expected number of alarms that start per map of a healthy machine.

        Exact for independent maps, by the stationary distribution of the Markov chain over the last
        ``window`` flags and the state of the alarm. Maps of one warm-up or one assembly are not independent:
        more alarms then come in fewer clusters.

        Args:
            flag_rate: Probability that a normal map is flagged.

        Returns:
            Alarms per map.
        """
        chain = [
            (bits, alarm) for bits in product((False, True), repeat=self.window) for alarm in (False, True)
        ]
        place = {state: number for number, state in enumerate(chain)}
        transition = np.zeros((len(chain), len(chain)))
        starts = np.zeros(len(chain))
        for (bits, alarm), number in place.items():
            for flag, probability in ((False, 1 - flag_rate), (True, flag_rate)):
                after = (*bits[1:], flag)
                later = self._next(after, alarm)
                transition[number, place[after, later]] += probability
                starts[number] += probability * (later and not alarm)
        share = np.zeros(len(chain))
        share[place[(False,) * self.window, False]] = 1
        for _ in range(64):  # squaring: 2^64 steps, far beyond the mixing time
            transition = transition @ transition
            transition /= transition.sum(axis=1, keepdims=True)
        return float((share @ transition) @ starts)

    def _next(self, last: tuple[bool, ...], alarm: bool) -> bool:
        count = sum(last)
        return count > self.off if alarm else count >= self.on
