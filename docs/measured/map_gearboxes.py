"""Tables of results/maps-gearboxes/: one for each gearbox, and one for teeth that keep their level."""

from __future__ import annotations

from functools import partial

from handshift.study.results import Results
from measured.map_tables import decisions_text, grouped_text
from measured.sources import study_text

STUDY = "maps-gearboxes"
METRICS = ("auroc", "tpr_at_1", "tpr_at_5")
GEARBOXES = {"gearbox-8": "", "gearbox-9": "gearbox 9", "persistent": "teeth keep their level"}
"""Mark of a table → what the names of its variants end with, after a comma."""


def gearbox_tables() -> dict[str, str]:
    """All tables by their marks; each has a baseline and tests of its own."""
    tables = {}
    for mark, ending in GEARBOXES.items():
        for metric in METRICS:
            tables[f"{mark}-{metric}"] = study_text(
                STUDY, partial(gearbox_text, ending=ending, metric=metric)
            )
        tables[f"{mark}-decisions"] = study_text(STUDY, partial(gearbox_text, ending=ending))
    return tables


def gearbox_text(results: Results, ending: str, metric: str | None = None) -> str:
    """One metric of the variants of one gearbox, or without a metric the decisions at their thresholds."""
    own = [name for name in results.record.variants if name.partition(", ")[2] == ending]
    baseline = next(name for name in own if name.startswith(results.record.baseline))
    record = results.record.model_copy(update={"variants": own, "baseline": baseline})
    part = Results(record, results.folder, results.measurements(), results.provenance)
    text = decisions_text(part) if metric is None else grouped_text(part, metric)
    return text.replace(f", {ending} ", " ") if ending else text
