"""First figures on test writers: words told apart, documents told apart, and the same-writer control.

Example: python benchmarks/spine.py --data ../shared/data/csafe --words runs/words/words
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from known_writers import known_writers, options_for

from handshift.atomic import write_text
from handshift.bag.bagset import Bag
from handshift.bag.kinds import Kind
from handshift.bag.mixing import Mixer
from handshift.bag.pages import pages_of
from handshift.embed.verification import balanced_pairs
from handshift.evidence.calibrating import SHARES, scores_of
from handshift.metrics import always_positive_f1, auroc, bootstrap_interval, eer, tpr_at_fpr

SEED = 2026
BAGS = 400
KINDS = (Kind.SINGLE, Kind.SPLICED, Kind.MIXED)


def main() -> None:
    options = options_for(__doc__, "results/spine.json")
    given = options.parse_args()
    known = known_writers(given)
    table, writers, model, vectors = known.table, known.writers, known.model, known.vectors
    covariances = model.covariances()

    pairs = balanced_pairs(table, writers, count=10_000, seed=SEED)
    similarity = np.einsum("pd,pd->p", vectors[pairs.rows[:, 0]], vectors[pairs.rows[:, 1]])
    by = table.writer[pairs.rows[:, 0]]
    result: dict[str, object] = {
        "command": "python benchmarks/spine.py",
        "model": model.card.id,
        "part": given.part,
        "writers": len(writers),
        "seed": SEED,
        "word_verification": {
            "pairs": len(by),
            "auc": round(auroc(pairs.same, similarity), 4),
            "auc_interval": _interval(by, pairs.same, similarity),
            "eer": round(eer(pairs.same, similarity), 4),
            "chance": {"auc": 0.5, "eer": 0.5},
        },
    }
    mixer = Mixer(pages_of(table, writers), SEED)
    documents: dict[str, object] = {}
    for name, words in (("14 words", 14), ("whole page", None)):
        documents[name] = {
            f"{share:.0%}": _compare(mixer, vectors, covariances, share, words) for share in SHARES
        }
    result["documents"] = documents
    write_text(given.out, json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1))


def _compare(mixer, vectors, covariances, share, words):
    bags = {kind: mixer.draw(kind, BAGS, share, words) for kind in KINDS}
    scores = {kind: scores_of(bags[kind], vectors, covariances) for kind in KINDS}

    def pair(positive: Kind, negative: Kind) -> dict[str, object]:
        truth = np.repeat([True, False], BAGS)
        both = np.concatenate([scores[positive], scores[negative]])
        by = np.array([bag.writer for bag in [*bags[positive], *bags[negative]]])
        return {
            "auc": round(auroc(truth, both), 4),
            "auc_interval": _interval(by, truth, both),
            "tpr_at_fpr_5%": round(tpr_at_fpr(truth, both, 0.05), 4),
        }

    return {
        "mixed_against_single": pair(Kind.MIXED, Kind.SINGLE),
        "mixed_against_spliced": pair(Kind.MIXED, Kind.SPLICED),
        "control_spliced_against_single": pair(Kind.SPLICED, Kind.SINGLE),
        "trivial": {"auc": 0.5, "always_mixed_f1": round(always_positive_f1(np.repeat([1, 0], BAGS)), 4)},
        "word_auc": _localisation(bags[Kind.MIXED], vectors, covariances),
    }


def _localisation(bags: Sequence[Bag], vectors, covariances) -> float:
    """Mean over bags of how well foreign words are ranked above the host's."""
    from handshift.detect.detector import detect

    each = [auroc(bag.foreign, detect(vectors[bag.rows], covariances).foreign) for bag in bags]
    return round(float(np.mean(each)), 4)


def _interval(writers, truth, scores) -> list[float]:
    found = bootstrap_interval(writers, lambda at: auroc(truth[at], scores[at]), repeats=300, seed=SEED)
    return [round(found.low, 4), round(found.high, 4)]


if __name__ == "__main__":
    main()
