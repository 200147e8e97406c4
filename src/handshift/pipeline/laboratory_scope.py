"""The scope guard of a laboratory's model: what the pages of its own writers are like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from handshift.calibration.scope_fit import KnownPage, ScopeFit
from handshift.core.errors import PageError
from handshift.corpus.manifest import Corpus, Sample
from handshift.models.shipped_models import ShippedModel
from handshift.page.scan import read_scans
from handshift.page.stroke_geometry import stroke_geometry
from handshift.pipeline.embed_page import embed_page
from handshift.pipeline.fit_scope import FALSE_ALARMS, FEWEST_WORDS, as_seen

PAGES = 30
"""Pages that are looked at; each in three ways, which takes about two seconds of one core."""
FEWEST_PAGES = 10
OTHER_SCRIPT = 0.05
"""Share of the laboratory's pages called another script, beyond which the shipped test of the script is left
out: it was fitted to the shipped model's population, and theirs is another."""


def fit_laboratory_scope(
    shipped: ShippedModel,
    own: ShippedModel,
    corpus: Corpus,
    writers: Sequence[str],
    *,
    seed: int = 2026,
    threads: int = 1,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[ScopeFit | None, str]:
    """Fit typicality to a laboratory's pages; the test of the script uses no vectors: it is the shipped one.

    Args:
        shipped: The model whose network the laboratory keeps.
        own: The laboratory's model, calibrated.
        corpus: The laboratory's pages.
        writers: Of its calibration part.
        seed: Of the draw of pages.
        threads: Processor threads of the network.
        progress: Called with a line of text at the end.

    Returns:
        The fit, None where there are too few pages of enough words, and a warning, empty if there is none.
    """
    before = ScopeFit.load(shipped.folder)
    script = before.script if before else None
    embedder, plda = own.embedder(threads), own.covariances()
    known, other = list[KnownPage](), list[bool]()
    for number, sample in enumerate(drawn(corpus, writers, seed)):
        try:
            image = next(iter(read_scans(sample.path))).image
        except PageError:
            continue  # the calibration has said so
        for page in as_seen(image, number):
            if len(page.words) >= FEWEST_WORDS:
                known.append(KnownPage(embed_page(embedder, page).vectors, corpus.name, sample.writer))
                if script is not None:
                    other.append(script.is_other(stroke_geometry(page.words, page.letter_size)))
    if len(known) < FEWEST_PAGES:
        found = f"{len(known)} pages of {FEWEST_WORDS} words and more"
        return None, f"no scope is fitted: {found}, needs {FEWEST_PAGES}; pages unlike these are not refused"
    share, warning = float(np.mean(other)) if other else 0.0, ""
    if script is not None and share > OTHER_SCRIPT:
        script = None
        warning = (
            f"the shipped test of the script is left out: it calls {share:.0%} of these pages another script"
        )
    elif script is not None:
        script = replace(script, held_out={**script.held_out, corpus.name: round(share, 4)})
    fit = ScopeFit.validated(known, plda, script, FALSE_ALARMS)
    progress(f"scope: {fit.held_out[corpus.name]:.1%} of pages by held-out writers are called atypical")
    return fit, warning


def drawn(corpus: Corpus, writers: Sequence[str], seed: int) -> Iterator[Sample]:
    """Up to `PAGES` pages, by as many writers as there are before a writer's second."""
    rng = np.random.default_rng(seed)
    own = {writer: [one for one in corpus.samples if one.writer == writer] for writer in sorted(writers)}
    shuffled = [[pages[at] for at in rng.permutation(len(pages))] for pages in own.values()]
    turns = max(map(len, shuffled), default=0)
    rounds = [pages[turn] for turn in range(turns) for pages in shuffled if turn < len(pages)]
    yield from rounds[:PAGES]
