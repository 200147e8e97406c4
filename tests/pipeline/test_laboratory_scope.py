"""A laboratory's scope guard is fitted to its own pages, and keeps the test of the script where that fits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from handshift.calibration.scope_fit import ScopeFit
from handshift.corpus.layouts import read_corpus
from handshift.corpus.manifest import Corpus
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.models.shipped_models import ShippedModel, find_model
from handshift.pipeline.laboratory_scope import drawn, fit_laboratory_scope

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole and dry"
WRITERS = ("w0", "w1", "w2", "w3")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Two pages by each of four scribes."""
    folder = tmp_path_factory.mktemp("ours")
    for number, writer in enumerate(WRITERS):
        for page in range(2):
            picture = draw_page(
                [Passage(Scribe(number), TEXT)], seed=10 * number + page, layout=Layout(140.0, 110.0)
            )
            (folder / writer).mkdir(exist_ok=True)
            save_page(picture, folder / writer / f"p{page}.png")
    return read_corpus(folder)


def test_every_writer_is_seen_before_a_second_page_of_one(corpus: Corpus) -> None:
    samples = list(drawn(corpus, WRITERS[:3], seed=1))
    assert {one.writer for one in samples[:3]} == set(WRITERS[:3]) and len(samples) == 6


def test_the_scope_is_fitted_to_the_laboratory_s_own_pages(corpus: Corpus, tmp_path: Path) -> None:
    model = find_model(None)
    fit, _ = fit_laboratory_scope(model, model, corpus, WRITERS)
    assert fit is not None and list(fit.databases.values()) == [24]  # each page in three ways
    fit.save(tmp_path)
    again = ScopeFit.load(tmp_path)
    assert again == fit and fit.held_out[corpus.name] < 0.3


def test_a_test_of_the_script_that_refuses_the_laboratory_s_pages_is_left_out(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = find_model(None)
    shipped = ScopeFit.load(model.folder)
    assert shipped is not None and shipped.script is not None
    strict = replace(shipped, script=replace(shipped.script, threshold=-1e9))
    with monkeypatch.context() as patched:
        patched.setattr(ScopeFit, "load", lambda _: strict)
        fit, warning = fit_laboratory_scope(model, model, corpus, WRITERS)
    assert fit is not None and fit.script is None
    assert warning.startswith("the shipped test of the script is left out: it calls 100%")
    fit.save(tmp_path)
    assert ScopeFit.load(tmp_path) == fit


def test_too_few_pages_fit_no_scope(corpus: Corpus) -> None:
    model: ShippedModel = find_model(None)
    fit, warning = fit_laboratory_scope(model, model, corpus, WRITERS[:1])
    assert fit is None and "6 pages of 8 words and more, needs 10" in warning
