"""A simulated run to failure: maps of one domain in order of time, with a fault that grows."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path

import numpy as np

from handshift.core.atomic import WriteError, write_text
from handshift.core.errors import HandshiftError
from handshift.healthmap.health_map import write_map
from handshift.healthmap.simulate.faults import FaultKind
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel
from handshift.healthmap.simulate.parameters import Condition, MapSimulation

TRUTH = "truth.csv"


@dataclass(frozen=True, slots=True)
class RunToFailure:
    """Settings of the run.

    Attributes:
        maps: Number of maps.
        onset: First map with a fault, which then grows linearly.
        size: Of the fault at the end, 1 as published.
        domain: One of the parameters' domains.
        kind: Gear with the broken tooth.
        tooth: Its number, from 0.
        condition: Cold or warm throughout.
        interval: Seconds between maps, for the times of the files.
        seed: Of the gearbox; a model trained on normal maps of the same seed knows its columns.
        parameters: Of the map model.
    """

    maps: int = 300
    onset: int = 150
    size: float = 1.5
    domain: str = "C"
    kind: FaultKind = FaultKind.PLANET
    tooth: int = 12
    condition: Condition = Condition.WARM
    interval: float = 600.0
    seed: int = 0
    parameters: MapSimulation = field(default_factory=MapSimulation.published)

    def write(self, out: Path) -> None:
        """Write the maps into ``out/<domain>`` with times of the past, and ``truth.csv``.

        Raises:
            HandshiftError: The domain does not exist.
            WriteError: The folder exists and is not empty.
        """
        if self.domain not in self.parameters.domains:
            known = ", ".join(self.parameters.domains)
            raise HandshiftError(f"--domain {self.domain}: the parameters have {known}")
        if out.exists() and any(out.iterdir()):
            raise WriteError(f"{out}: exists already. Choose another name, or remove it.")
        rng = np.random.default_rng([self.seed, 99])
        model = MapModel(self.parameters, self.seed)
        stream = StringIO()
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["path", "size"])
        begun = 1_700_000_000.0
        for number in range(self.maps):
            size = self.size * max(0, number - self.onset + 1) / max(1, self.maps - self.onset)
            fault = FaultSpec(self.kind, (size,), gain_shift=False, tooth=self.tooth) if size else None
            drawn = model.draw(self.domain, self.condition, 1, rng, fault=fault)
            path = out / self.domain / f"{number:05d}.tif"
            write_map(path, drawn.maps[0])
            os.utime(path, (begun + number * self.interval,) * 2)
            table.writerow([path.relative_to(out).as_posix(), f"{size:.4f}"])
        write_text(out / TRUTH, stream.getvalue())
