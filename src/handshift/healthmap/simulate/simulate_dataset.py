"""A simulated data set: a normal run for training, a normal and a fault run for test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from handshift.healthmap.dataset.dataset_folder import DatasetFolder, new_dataset
from handshift.healthmap.dataset.map_dataset import GOOD
from handshift.healthmap.simulate.map_model import FaultSpec, MapModel, SimulatedMaps
from handshift.healthmap.simulate.parameters import Condition, MapSimulation

AT_ONCE = 250  # maps drawn together: 6 MB a temporary array


@dataclass(frozen=True, slots=True)
class SimulatedRun:
    """Settings of a simulated data set.

    Attributes:
        train: Normal training maps of each domain.
        test: Normal and as many faulty test maps of each domain.
        seed: Of the gearbox and all maps.
        conditions: One after the other within each run.
        fault: The fault of the fault run.
        parameters: Of the map model.
    """

    train: int = 1000
    test: int = 1000
    seed: int = 0
    conditions: tuple[Condition, ...] = (Condition.COLD, Condition.WARM)
    fault: FaultSpec = field(default_factory=FaultSpec)
    parameters: MapSimulation = field(default_factory=MapSimulation.published)

    @property
    def total(self) -> int:
        """Number of maps over all domains."""
        return len(self.parameters.domains) * (self.train + 2 * self.test)

    def write(self, out: Path, advance: Callable[[int], object] = lambda maps: None) -> None:
        """Draw and write all maps.

        Args:
            out: Folder to make.
            advance: Called with the number of maps after every batch.

        Raises:
            WriteError: The folder exists and is not empty, or cannot be written.
        """
        model = MapModel(self.parameters, self.seed)
        with new_dataset(out) as folder:
            for number, domain in enumerate(sorted(self.parameters.domains)):
                for part, (split, defect, count) in enumerate(
                    (("train", GOOD, self.train), ("test", GOOD, self.test), ("test", "fault", self.test))
                ):
                    # A random stream for each part: more training maps do not change the test maps.
                    rng = np.random.default_rng([self.seed, 1 + number, part])
                    fault = self.fault if defect != GOOD else None
                    first = 0
                    for condition, batch in self._batches(count):
                        drawn = model.draw(
                            domain, condition, batch, rng, training=split == "train", fault=fault
                        )
                        self._put(folder, (domain, split, defect), first, condition, drawn)
                        first += batch
                        advance(batch)
            folder.close(self._about())

    def _batches(self, count: int) -> Iterator[tuple[Condition, int]]:
        """The conditions one after the other, as in a machine that warms up."""
        bounds = np.linspace(0, count, len(self.conditions) + 1).round().astype(int)
        for condition, size in zip(self.conditions, np.diff(bounds), strict=True):
            for begun in range(0, int(size), AT_ONCE):
                yield condition, min(AT_ONCE, int(size) - begun)

    def _put(
        self,
        folder: DatasetFolder,
        place: tuple[str, str, str],
        first: int,
        condition: Condition,
        drawn: SimulatedMaps,
    ) -> None:
        kind = self.fault.kind if place[2] != GOOD else ""
        for at, values in enumerate(drawn.maps):
            tooth = int(drawn.teeth[at]) if kind else ""
            size = round(float(drawn.sizes[at]), 4) if kind else ""
            folder.put(
                place, f"{first + at:05d}-{condition}", values, drawn.masks[at],
                condition=condition, kind=kind, tooth=tooth, size=size,
            )  # fmt: skip

    def _about(self) -> dict[str, object]:
        return {
            "made_by": "handshift maps simulate",
            "axes": ["planet tooth", "ring tooth"],
            "train": self.train,
            "test": self.test,
            "seed": self.seed,
            "conditions": list(self.conditions),
            "fault": self.fault.kind,
            "sizes": list(self.fault.sizes),
            "gain_shift": self.fault.gain_shift,
            "parameters": self.parameters.model_dump(mode="json"),
        }
