"""Score the maps of a folder as they arrive."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import time

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.healthmap.health_map import MAP_SUFFIXES
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.vibration.description import RecordingDescription
from handshift.healthmap.vibration.map_maker import MapMaker
from handshift.healthmap.watch.alarm import AlarmRule, FalseAlarms
from handshift.healthmap.watch.change_point import ChangePoint, change_point
from handshift.healthmap.watch.observer import Observer, highest
from handshift.healthmap.watch.watch_log import Observation, WatchLog
from handshift.healthmap.watch.watch_page import watch_html
from handshift.page.walk_files import natural_order

LOG, PAGE = "watch.jsonl", "watch.html"
SETTLED = 1.0
"""Seconds since a file was last written before it is read: a recorder may still be writing it."""
DAY = 86_400.0
FASTEST = 1.0
"""Seconds between files of a machine; files that were copied together lie closer and tell no rate."""


@dataclass(frozen=True)
class Watcher:
    """A model that watches a folder.

    Attributes:
        model: Trained on normal maps of the machine.
        folder: Where maps arrive; below it, folders named like domains.
        out: Folder of log and page.
        rule: When the alarm starts and ends.
        domain: Of all maps; None for the folder a map lies in.
        per_day: Maps per day; None measures it from the times of the files.
        maker: How recordings become maps; None watches maps.
        description: Sampling rate, sensors and tachometer of recordings.
    """

    model: TrainedModel
    folder: Path
    out: Path
    rule: AlarmRule = field(default_factory=AlarmRule)
    domain: str | None = None
    per_day: float | None = None
    maker: MapMaker | None = None
    description: RecordingDescription | None = None

    def open_log(self) -> WatchLog:
        """The log of earlier runs, or a new one.

        Raises:
            HandshiftError: The folder holds a log of another model, or the model stores no validation scores.
        """
        if not self.model.metadata.validation_scores:
            raise HandshiftError(f"{self.model.folder}: stores no validation scores; train the model again")
        identity = hashlib.sha256(self.model.metadata.model_dump_json().encode()).hexdigest()[:16]
        return WatchLog.open(self.out / LOG, identity)

    def score_new(self, log: WatchLog, refresh: int) -> list[Observation]:
        """Score all files that are not in the log, in order of time, and rewrite the page.

        Args:
            log: Of earlier files.
            refresh: Seconds after which the page reloads itself.

        Returns:
            The new observations.
        """
        found: list[Observation] = []
        for path in self._new_files({one.path for one in log.observations}):
            observation = self._observe(path, log)
            log.append(observation)
            found.append(observation)
        if found or not (self.out / PAGE).exists():
            write_text(self.out / PAGE, watch_html(self, log.observations, refresh))
        return found

    def false_alarms_per_day(self, observations: list[Observation]) -> float | None:
        """Expected false alarms per day for independent maps; None while the rate of maps is unknown."""
        rate = self.maps_per_day(observations)
        return None if rate is None else rate * self.false_alarms.per_map

    @property
    def false_alarms(self) -> FalseAlarms:
        """Expected false alarms of the worst domain, allowing for thresholds on few held-out maps."""
        thresholds = self.model.metadata.thresholds
        if not thresholds.counts:
            return self.rule.false_alarms(self.flag_rate)
        found = [
            self.rule.expected_false_alarms(count, thresholds.target, self._joined)
            for count in thresholds.counts.values()
        ]
        return FalseAlarms(max(one.per_map for one in found), max(one.share for one in found))

    @property
    def flag_rate(self) -> float:
        """Upper bound, over the domains, of the probability that a normal map is flagged."""
        thresholds = self.model.metadata.thresholds
        rates = [thresholds.guaranteed(name) for name in thresholds.by_domain]
        each = max((rate for rate in rates if rate is not None), default=thresholds.target)
        return min(1.0, self._joined * each)  # Bonferroni: a recording is flagged by any of its sensors

    @property
    def _joined(self) -> int:
        """Sensors that flag a recording together."""
        several = self.maker is not None and self.domain is None
        return len(self.model.metadata.thresholds.by_domain) if several else 1

    def maps_per_day(self, observations: list[Observation]) -> float | None:
        """As given, or from the median interval between files; None where it is unknown."""
        if self.per_day is not None:
            return self.per_day
        times = sorted({one.time for one in observations})
        gaps = [later - earlier for earlier, later in pairwise(times)]
        return DAY / median(gaps) if len(gaps) >= 3 and median(gaps) >= FASTEST else None

    def change(self, observations: list[Observation]) -> tuple[ChangePoint, Observation] | None:
        """The change point of the health index and the first file after it."""
        scored = [one for one in observations if one.index is not None]
        found = change_point([float(one.index or 0) for one in scored])
        return None if found is None else (found, scored[found.index])

    def _new_files(self, known: set[str]) -> Iterator[Path]:
        files = [
            path
            for path in self.folder.rglob("*")
            if (path.suffix.lower() in MAP_SUFFIXES or self.maker is not None)
            and path.is_file()
            and not any(part.startswith(".") for part in path.relative_to(self.folder).parts)
            and path.relative_to(self.folder).as_posix() not in known
            and time() - path.stat().st_mtime >= SETTLED
        ]
        yield from sorted(files, key=lambda path: (path.stat().st_mtime, natural_order(path)))

    @cached_property
    def _observer(self) -> Observer:
        return Observer(self.model, self.domain, self.maker, self.description)

    def _observe(self, path: Path, log: WatchLog) -> Observation:
        name, moment = path.relative_to(self.folder).as_posix(), path.stat().st_mtime
        flags = [one.flagged for one in log.observations if one.error is None]
        try:
            worst = highest(self._observer.observe(path))
        except HandshiftError as error:
            last = log.observations[-1].alarm if log.observations else False
            return Observation(path=name, time=moment, alarm=last, error=str(error))
        return Observation(
            path=name,
            time=moment,
            domain=worst.domain,
            score=worst.scored.score,
            threshold=worst.scored.threshold,
            index=worst.index,
            flagged=worst.scored.flagged,
            tooth=worst.stands_out if worst.scored.flagged else None,
            alarm=self.rule.states([*flags, worst.scored.flagged])[-1],
        )
