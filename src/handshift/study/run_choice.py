"""A choice of a study's runs: those that decide a question first, when there is no time for all."""

from __future__ import annotations

from dataclasses import dataclass

from handshift.core.errors import StudyError
from handshift.study.run_folders import StudyRun
from handshift.study.spec import StudySpec


@dataclass(frozen=True)
class RunChoice:
    """Variants and seeds to run now; the others stay missing.

    Attributes:
        variants: All if empty.
        seeds: All if empty.
    """

    variants: tuple[str, ...] = ()
    seeds: tuple[int, ...] = ()

    def check(self, spec: StudySpec) -> None:
        """Raise a StudyError that names the first variant or seed that the study does not have."""
        known = list(spec.expanded())
        for variant in self.variants:
            if variant not in known:
                raise StudyError(f"--only {variant}: is not a variant; these are {'; '.join(known)}")
        for seed in self.seeds:
            if seed not in spec.seeds:
                raise StudyError(f"--seed {seed}: the study has {', '.join(map(str, spec.seeds))}")

    def holds(self, run: StudyRun) -> bool:
        """Whether the run is chosen."""
        return (not self.variants or run.variant in self.variants) and (
            not self.seeds or run.seed in self.seeds
        )
