"""Likelihood ratios of test writers: Cllr, its calibration part, and how often ratios mislead.

The protocol is that of ``handshift validate``. The trivial baseline, a ratio of 1 for every document, has a
Cllr of 1.

Example: python benchmarks/validation.py --vectors runs/vectors
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from known_writers import known_writers, known_writers_benchmark

from handshift.bag.pages import pages_of
from handshift.calibration.verbal_scale import Language
from handshift.core.atomic import write_text
from handshift.report.run_header import Run
from handshift.validation.hand_counts import validated_model
from handshift.validation.matrix import load_criteria, validation_matrix
from handshift.validation.protocol import validate, validation_html

SEED = 2026


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument("--documents", type=int, default=600, help="of each kind and share")
    benchmark.options.add_argument("--shared", type=int, default=60, help="pages of each number of hands")
    benchmark.options.add_argument("--criteria", type=Path, help="instead of the shipped ones")
    benchmark.options.add_argument("--page", type=Path, default=Path("docs/validation.html"))
    given = benchmark.begin()
    criteria = load_criteria(given.criteria)  # fixed before anything is measured
    known = known_writers(given)
    found = validate(
        pages_of(known.table, known.writers),
        known.vectors,
        validated_model(known.model, given.threads),
        model=known.model.card.id,
        data=f"{len(known.writers)} writers of {known.database}, part {given.part}",
        seed=SEED,
        documents=given.documents,
        shared=given.shared,
        progress=lambda message: print(message, flush=True),
    )
    matrix = validation_matrix(found.ratios, criteria, found.writers, SEED)
    counts = {"documents": given.documents, "shared": given.shared}
    benchmark.write(found.record() | {"matrix": matrix.record()} | counts)
    settings = {"documents": str(given.documents), "shared pages": str(given.shared), "seed": str(SEED)}
    run = Run(known.model.card, datetime.now().astimezone(), settings, Language.en)
    write_text(given.page, validation_html(found, run, matrix))


if __name__ == "__main__":
    main()
