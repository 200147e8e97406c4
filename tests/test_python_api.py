"""The functions of `handshift`: words, vectors, comparisons and names, without torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import handshift
from handshift.cli import app
from handshift.core.errors import HandshiftError
from handshift.demo import ONE_HAND
from handshift.report.findings_record import page_record


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PDF of three pages, the second blank."""
    path = tmp_path_factory.mktemp("bundle") / "bundle.pdf"
    with Image.open(ONE_HAND) as scan:
        sheet = scan.convert("RGB")
    blank = Image.new("RGB", sheet.size, "white")
    sheet.save(path, save_all=True, append_images=[blank, sheet], resolution=150)
    return path


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


def test_a_file_of_several_pages_is_examined_page_by_page(bundle):
    with pytest.warns(UserWarning, match="has 3 pages, of which page 1 is examined"):
        first = handshift.examine(bundle)
    with pytest.warns(UserWarning, match="page 3"):
        third = handshift.examine(bundle, page=3)
    assert third.page.number == 2
    one, blank, last = handshift.examine_pages(bundle)
    assert isinstance(blank, handshift.PageError) and blank.number == 1
    assert blank.sha256 == first.page.sha256 and "found 0 legible words" in blank.problem
    assert isinstance(one, handshift.Verdict) and isinstance(last, handshift.Verdict)
    assert [one.score, last.score] == [first.score, third.score]
    with pytest.raises(handshift.PageError, match="has 3 pages, none numbered 4"):
        handshift.examine(bundle, page=4)


def test_the_command_and_both_functions_find_the_same(bundle, tmp_path):
    found = tmp_path / "found.json"
    done = CliRunner().invoke(app, ["examine", str(bundle), "--no-report", "--json", str(found)])
    assert done.exit_code == 1
    pages = json.loads(found.read_text("utf-8"))["pages"]
    outcomes = list(handshift.examine_pages(bundle))
    assert [page["page"] for page in pages] == [1, 2, 3]
    for page, outcome in zip(pages, outcomes, strict=True):
        if isinstance(outcome, handshift.PageError):
            assert page["error"] == outcome.problem and page["sha256"] == outcome.sha256
        else:
            assert page == page_record(outcome)


def test_a_page_that_cannot_be_decoded_is_missing_from_no_result(bundle, tmp_path):
    content = bundle.read_bytes()
    second = [found.start() for found in re.finditer(rb"/MediaBox", content)][1]
    end = content.index(b"]", second) + 1
    torn = tmp_path / "torn.pdf"
    torn.write_bytes(content[:second] + b"/MediaBox [0 0 99999 99999]".ljust(end - second) + content[end:])
    _, error, third = handshift.examine_pages(torn)
    assert isinstance(error, handshift.PageError) and "over the limit of 200 megapixels" in error.problem
    assert third.page.number == 2
    done = CliRunner().invoke(app, ["hands", str(torn), "--json", str(tmp_path / "hands.json")])
    assert done.exit_code == 1
    linked = json.loads((tmp_path / "hands.json").read_text("utf-8"))["pages"]
    assert [page["page"] for page in linked] == [1, 3]


def test_nothing_given_is_the_same_error_everywhere(tiny_model, tmp_path):
    for call in (handshift.embed, handshift.hands):
        with pytest.raises(handshift.HandshiftError, match="no page was given"):
            call([], model=tiny_model)
    with pytest.raises(handshift.HandshiftError, match="no page was given"):
        handshift.verify([], [], model=tiny_model)
    with pytest.raises(handshift.HandshiftError, match="no page was given"):
        handshift.enroll("A", [], tmp_path / "g", model=tiny_model)


def test_every_exported_name_is_there():
    for name in handshift.__all__:
        assert getattr(handshift, name) is not None
    assert set(handshift.__all__) <= set(dir(handshift))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = handshift.nonsense
