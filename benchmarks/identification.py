"""Whose hand is it? Test writers enrolled with three pages of one session, asked from other sessions.

Queries never share session or prompt with the enrolled pages where the writer leaves that choice: two of the
three prompts are enrolled, queries hold the third. Open set: half of the writers are not enrolled, drawn
repeatedly.

Example: python benchmarks/identification.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

from known_writers import known_writers, known_writers_benchmark

from handshift.bag.pages import pages_of
from handshift.validation.identification_figures import (
    ENROLLED_PAGES,
    FEWEST_WORDS,
    SEED,
    identification_by_query,
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
    result |= identification_by_query(pages, vectors, model, rounds=given.rounds)
    if table.size is not None:
        sized = identification_by_query(pages, vectors, model, rounds=given.rounds, sizes=table.size)
        result["with size"] = sized
    benchmark.write(result)


if __name__ == "__main__":
    main()
