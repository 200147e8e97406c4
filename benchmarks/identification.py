"""Whose hand is it? Test writers enrolled with three pages of one session, asked from other sessions.

Queries never share session or prompt with the enrolled pages where the writer leaves that choice: two of the
three prompts are enrolled, queries hold the third. Open set: half of the writers are not enrolled, drawn
repeatedly.

Example: python benchmarks/identification.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

from known_writers import known_writers, known_writers_benchmark

from handshift.bag.pages import pages_of
from handshift.embedding.prototypes import Aggregation
from handshift.validation.identification_figures import (
    ENROLLED_PAGES,
    FEWEST_WORDS,
    SEED,
    identification_figures,
)


def main() -> None:
    benchmark = known_writers_benchmark(__file__, __doc__)
    benchmark.options.add_argument(
        "--rounds", type=int, default=20, help="times writers are drawn to be enrolled"
    )
    given = benchmark.begin()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    result: dict[str, object] = {
        "model": model.card.id,
        "part": given.part,
        "writers": len(writers),
        "enrolled_pages": ENROLLED_PAGES,
        "seed": SEED,
        "rounds": given.rounds,
    }
    pages = pages_of(table, writers, fewest=FEWEST_WORDS)
    for name, words in (("page", None), ("5 words", 5)):
        result[name] = {
            how.value: identification_figures(
                pages, vectors, model, words=words, how=how, rounds=given.rounds
            )
            for how in Aggregation
        }
    benchmark.write(result)


if __name__ == "__main__":
    main()
