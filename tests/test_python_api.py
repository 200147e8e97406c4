"""The functions of `handshift`: words, vectors, comparisons and names, without torch."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import handshift
from handshift.core.errors import HandshiftError


def test_vectors_are_unit_rows_one_for_each_legible_word(tiny_model, pages):
    page = pages / "scribe-1" / "a.png"
    found = handshift.embed(page, model=tiny_model)
    assert found.vectors.dtype == np.float32
    assert found.vectors.shape == (len(found.words), 16)
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(1, abs=1e-5)
    everything = handshift.words(page)
    assert {word.box for word in found.words} <= {word.box for word in everything}
    places = [everything.index(word) for word in found.words]
    assert places == sorted(places)  # reading order


def test_a_words_vector_does_not_depend_on_the_company_it_is_read_in(tiny_model, pages):
    a, b = pages / "scribe-1" / "a.png", pages / "scribe-2" / "a.png"
    alone, together = (handshift.embed(paths, model=tiny_model) for paths in (b, [a, b]))
    assert np.allclose(together.vectors[-len(alone.words) :], alone.vectors, atol=1e-6)
    assert len(together.origins) == 2


def test_embed_stays_a_function_when_its_room_is_imported(tiny_model, pages):
    import handshift.embedding.crops.word_crop
    from handshift.embedding import prototypes

    assert prototypes.__name__ == "handshift.embedding.prototypes"
    assert len(handshift.embed(pages / "scribe-0" / "a.png", model=tiny_model).words) == 30


def test_a_comparison_is_never_shown_without_its_propositions(tiny_model, pages):
    same = handshift.verify(pages / "scribe-1" / "a.png", pages / "scribe-1" / "b.png", model=tiny_model)
    other = handshift.verify(pages / "scribe-1" / "a.png", pages / "scribe-2" / "b.png", model=tiny_model)
    assert same.score > other.score and same.log10_lr > 0 > other.log10_lr >= other.bounds[0]
    for shown in (str(same), repr(same)):
        assert "One scribe drew both." in shown and "Two scribes drew them." in shown
        assert "population: Six synthetic scribes." in shown
    swapped = handshift.verify(pages / "scribe-2" / "b.png", pages / "scribe-1" / "a.png", model=tiny_model)
    assert swapped.score == pytest.approx(other.score)


def test_a_page_is_ranked_against_a_gallery(tiny_model, pages, tmp_path):
    for number in range(3):
        new = handshift.enroll(
            f"s{number}", pages / f"scribe-{number}" / "a.png", tmp_path / "g", model=tiny_model
        )
        assert new == 1
    found = handshift.identify(pages / "scribe-1" / "b.png", tmp_path / "g", model=tiny_model)
    assert [found[0].name, found.accepted, len(found)] == ["s1", "s1", 3]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert found.none + sum(one.confidence for one in found) == pytest.approx(1)
    assert "Two scribes drew them." in repr(found) and "prior: 0.50" in repr(found)


def test_what_is_wrong_is_a_handshift_error(tiny_model, pages, tmp_path):
    with pytest.raises(HandshiftError, match="no gallery here"):
        handshift.identify(pages / "scribe-1" / "b.png", tmp_path, model=tiny_model)
    with pytest.raises(HandshiftError, match="no such file"):
        handshift.words(tmp_path / "gone.png")


def test_none_of_it_loads_torch(tiny_model, pages, tmp_path):
    page, gallery = str(pages / "scribe-1" / "a.png"), str(tmp_path / "g")
    program = (
        f"import sys, handshift; m = {tiny_model!r}; p = {page!r}; g = {gallery!r}\n"
        "handshift.words(p); handshift.embed(p, model=m); handshift.verify(p, p, model=m)\n"
        "handshift.enroll('A', p, g, model=m); handshift.identify(p, g, model=m)\n"
        "print([name for name in ('torch', 'pandas', 'faiss', 'onnx') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
