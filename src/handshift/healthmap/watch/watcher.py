"""Score the maps of a folder as they arrive."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import time

import numpy as np

from handshift.core.atomic import write_text
from handshift.core.errors import HandshiftError
from handshift.healthmap.health_map import MAP_SUFFIXES, HealthMap, MapKind, read_map
from handshift.healthmap.report.scored_map import ScoredMap
from handshift.healthmap.trained_model import TrainedModel
from handshift.healthmap.vibration.description import RecordingDescription
from handshift.healthmap.vibration.map_maker import MapMaker
from handshift.healthmap.vibration.recording import read_recording
from handshift.healthmap.watch.alarm import AlarmRule
from handshift.healthmap.watch.change_point import ChangePoint, change_point
from handshift.healthmap.watch.watch_log import Observation, WatchLog
from handshift.healthmap.watch.watch_page import watch_html
from handshift.healthmap.which_tooth import which_tooth
from handshift.page.walk_files import natural_order

LOG, PAGE = "watch.jsonl", "watch.html"
SETTLED = 1.0
"""Seconds since a file was last written before it is read: a recorder may still be writing it."""
DAY = 86_400.0
SMALLEST_SCALE = 0.05
"""Of the median score: with one or two validation maps the threshold lies at the median itself."""


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
        return None if rate is None else rate * self.rule.false_alarms_per_map(self.flag_rate)

    @property
    def flag_rate(self) -> float:
        """Upper bound, over the domains, of the probability that a normal map is flagged."""
        thresholds = self.model.metadata.thresholds
        rates = [thresholds.guaranteed(name) for name in thresholds.by_domain]
        each = max((rate for rate in rates if rate is not None), default=thresholds.target)
        joined = len(thresholds.by_domain) if self.maker is not None and self.domain is None else 1
        return min(1.0, joined * each)  # Bonferroni: a recording is flagged by any of its sensors

    def maps_per_day(self, observations: list[Observation]) -> float | None:
        """As given, or from the median interval between files."""
        if self.per_day is not None:
            return self.per_day
        times = sorted({one.time for one in observations})
        gaps = [later - earlier for earlier, later in pairwise(times)]
        return DAY / median(gaps) if len(gaps) >= 3 else None

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

    def _observe(self, path: Path, log: WatchLog) -> Observation:
        name, moment = path.relative_to(self.folder).as_posix(), path.stat().st_mtime
        flags = [one.flagged for one in log.observations if one.error is None]
        try:
            index, domain, scored = max(self._scored(path), key=lambda one: one[0])
        except HandshiftError as error:
            last = log.observations[-1].alarm if log.observations else False
            return Observation(path=name, time=moment, alarm=last, error=str(error))
        tooth = which_tooth(scored.anomaly, None if scored.photograph else scored.values).tooth
        named = (
            f"{tooth.axis} {tooth.number + 1}" if tooth and scored.flagged and not scored.photograph else None
        )
        return Observation(
            path=name,
            time=moment,
            domain=domain,
            score=scored.score,
            threshold=scored.threshold,
            index=index,
            flagged=scored.flagged,
            tooth=named,
            alarm=self.rule.states([*flags, scored.flagged])[-1],
        )

    def _scored(self, path: Path) -> Iterator[tuple[float, str | None, ScoredMap]]:
        """Index, domain and result of a map, or of each sensor of a recording: its map of median index."""
        if self.maker is None:
            yield self._index(read_map(path), self.domain or self.model.domain_of(path))
            return
        maps = self.maker.maps(read_recording(path, description=self.description))
        for sensor in range(maps.shape[1]):
            domain = self.domain or self._sensor_domain(path, sensor)
            if domain is None:
                continue
            values = maps[:, sensor].astype(np.float32)
            found = [self._index(HealthMap(one, MapKind.FLOAT, path), domain) for one in values]
            yield sorted(found, key=lambda one: one[0])[len(found) // 2]

    def _sensor_domain(self, path: Path, sensor: int) -> str | None:
        """The model's domain of a sensor, as `maps build` names it: ``<load>-a<sensor>``."""
        known = self.model.metadata.thresholds.by_domain
        ends = [name for name in known if name.endswith(f"-a{sensor + 1}")]
        own = [name for name in ends if name.rpartition("-")[0] in path.stem]
        return next(iter(own or (ends if len(ends) == 1 else [])), None)

    def _index(self, map_: HealthMap, domain: str | None) -> tuple[float, str | None, ScoredMap]:
        scored = self.model.examine(map_, domain)
        usual = self._usual(domain)
        scale = max(scored.threshold - usual, SMALLEST_SCALE * abs(usual), 1e-12)
        return (scored.score - usual) / scale, domain, scored

    def _usual(self, domain: str | None) -> float:
        """Median score of normal validation maps of the domain, or of all domains."""
        by_domain = self.model.metadata.validation_scores
        own = by_domain.get(domain or "")
        return median(own if own else [score for scores in by_domain.values() for score in scores])
