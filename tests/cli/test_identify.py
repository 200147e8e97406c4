"""enroll, identify and verify at the prompt: scribes are known again, and every slip is one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image


@pytest.fixture(scope="module")
def shared_gallery(tmp_path_factory, tiny_model, pages) -> Path:
    """Five of the six scribes, each with one page."""
    from handshift.pipeline.comparer import Comparer
    from handshift.pipeline.identifier import enroll

    folder = tmp_path_factory.mktemp("galleries") / "scribes"
    known = {f"scribe-{k}": pages / f"scribe-{k}" / "a.png" for k in range(5)}
    enroll(Comparer(tiny_model), known, folder)
    return folder


def test_a_page_finds_its_scribe(run, tiny_model, pages, shared_gallery):
    done = run(
        *("identify", pages / "scribe-3" / "b.png", "--gallery", shared_gallery, "--model", tiny_model),
        *("--json", "found.json"),
    )
    assert done.code == 0, done.err
    drawn, first, *_ = done.out.splitlines()
    assert drawn.startswith("Synthetic demonstration")
    assert first == f"{pages / 'scribe-3' / 'b.png'}: scribe-3"
    assert "none of the enrolled" in done.out
    assert "prior: 0.50 that the writer is enrolled" in done.out and "Two scribes drew them." in done.out
    (page,) = json.loads(Path("found.json").read_text())["pages"]
    assert page["accepted"] == page["candidates"][0]["name"] == "scribe-3"
    assert len(page["candidates"]) == page["enrolled"] == 5
    total = page["none"] + sum(candidate["confidence"] for candidate in page["candidates"])
    assert total == pytest.approx(1)


def test_a_stranger_is_nobody(run, tiny_model, pages, shared_gallery):
    done = run("identify", pages / "scribe-5" / "b.png", "--gallery", shared_gallery, "--model", tiny_model)
    assert done.code == 0, done.err
    assert "nobody enrolled (nearest: " in done.out


@pytest.mark.parametrize("how", [("--search", "faiss"), ("--aggregation", "attention"), ("--top", "1")])
def test_other_ways_of_searching_find_the_same(run, tiny_model, pages, shared_gallery, how):
    if "faiss" in how:
        pytest.importorskip("faiss")
    done = run(
        "identify", pages / "scribe-2" / "b.png", "--gallery", shared_gallery, "--model", tiny_model, *how
    )
    assert done.out.splitlines()[1].endswith(": scribe-2")


def test_people_are_enrolled_extended_listed_and_removed(run, tiny_model, pages):
    def enroll(*words: object):
        return run("enroll", *words, "--gallery", "g", "--model", tiny_model)

    assert enroll("Ann", pages / "scribe-0" / "a.png").out == "g: 1 new page; 1 person enrolled\n"
    assert enroll("Bob", pages / "scribe-1").out == "g: 2 new pages; 2 people enrolled\n"
    # Her whole folder: the page that is known already is passed over.
    assert enroll("Ann", pages / "scribe-0").out == "g: 1 new page; 2 people enrolled\n"
    listed = run("enroll", "--list", "--gallery", "g").out
    assert [line.split() for line in listed.splitlines()[2:]] == [["Ann", "2", "60"], ["Bob", "2", "60"]]
    assert run("enroll", "--remove", "Ann", "--gallery", "g").out == "g: removed Ann; 1 person enrolled\n"
    assert "Ann" not in run("enroll", "--list", "--gallery", "g").out


def test_everybody_in_a_folder_is_enrolled_at_once(run, tiny_model, pages):
    done = run("enroll", "--from", pages, "--gallery", "g", "--model", tiny_model)
    assert done.out == "g: 12 new pages; 6 people enrolled\n"


def test_two_pages_are_compared(run, tiny_model, pages):
    a, b, c = pages / "scribe-1" / "a.png", pages / "scribe-1" / "b.png", pages / "scribe-4" / "b.png"
    done = run("verify", a, b, "--model", tiny_model, "--json", "same.json")
    assert done.code == 0, done.err
    assert "towards one writer" in done.out and "population: Six synthetic scribes." in done.out
    same = json.loads(Path("same.json").read_text())
    assert same["log10_lr"] > 0 and same["propositions"]["two_writers"] == "Two scribes drew them."
    assert same["log10_lr_bounds"] == [-2.0, 2.0]
    other = run("verify", a, c, "--model", tiny_model)
    assert "towards two writers" in other.out


@pytest.mark.parametrize("cut", ["word", "picture"])
def test_folders_of_small_pictures_work_the_same(run, tiny_model, tmp_path, cut):
    rng = np.random.default_rng(0)
    for person, slant in (("backward", -0.5), ("slanted", 0.9)):
        for number in range(8):
            path = tmp_path / "faces" / person / f"{number}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            image = np.full((60, 120), 255, np.uint8)
            for x in rng.integers(25, 80, size=6):
                cv2.line(image, (int(x), 50), (int(x + 40 * slant), 10), 30, 3, cv2.LINE_AA)
            cv2.imwrite(str(path), image)
    faces = tmp_path / "faces"
    for person in ("backward", "slanted"):
        half = [faces / person / f"{number}.png" for number in range(4)]
        done = run("enroll", person, *half, "--gallery", "g", "--cut", cut, "--model", tiny_model)
        assert done.code == 0, done.err
    (faces / "slanted-again").mkdir()
    for number in range(4, 8):
        (faces / "slanted" / f"{number}.png").rename(faces / "slanted-again" / f"{number}.png")
    done = run(
        "identify", faces / "slanted-again", "--gallery", "g", "--model", tiny_model, "--json", "f.json"
    )
    assert done.code == 0, done.err
    (page,) = json.loads(Path("f.json").read_text())["pages"]
    assert page["candidates"][0]["name"] == "slanted" and page["words"] == 4


def test_a_page_that_is_enrolled_itself_is_a_warning(run, tiny_model, pages, shared_gallery):
    done = run("identify", pages / "scribe-0" / "a.png", "--gallery", shared_gallery, "--model", tiny_model)
    assert "warning: this page is itself enrolled, as 'scribe-0'" in done.out
    same = run("verify", pages / "scribe-0" / "a.png", pages / "scribe-0" / "a.png", "--model", tiny_model)
    assert "warning: the same file is on both sides" in same.out


def sentence(done) -> str:
    """The one line a slip is told in."""
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("handshift: ")
    return line


def test_slips_with_galleries_are_one_sentence(run, tiny_model, pages, shared_gallery):
    page = pages / "scribe-0" / "b.png"
    model = ("--model", tiny_model)
    assert "no gallery here; make one" in sentence(run("identify", page, "--gallery", "none", *model))
    assert "no gallery here" in sentence(run("enroll", "--list", "--gallery", "none"))
    assert "no gallery here" in sentence(run("enroll", "--remove", "Ann", "--gallery", "none"))
    assert not Path("none").exists()
    run("enroll", "Ann", page, "--gallery", "g", *model)
    assert "use one spelling" in sentence(run("enroll", "ANN", pages / "scribe-1", "--gallery", "g", *model))
    assert "enrolled as 'Ann' already" in sentence(run("enroll", "Bob", page, "--gallery", "g", *model))
    assert "nobody is enrolled as 'Cyd'" in sentence(run("enroll", "--remove", "Cyd", "--gallery", "g"))
    assert "a name must not be empty" in sentence(run("enroll", " ", page, "--gallery", "g", *model))
    run("enroll", "--remove", "Ann", "--gallery", "g")
    assert "nobody is enrolled; add pages" in sentence(run("identify", page, "--gallery", "g", *model))
    assert "between 0 and 1" in sentence(
        run("identify", page, "--gallery", shared_gallery, *model, "--prior-enrolled", "1.5")
    )
    assert "made with --cut page, not word" in sentence(
        run("enroll", "Eve", page, "--gallery", shared_gallery, "--cut", "word", *model)
    )


def test_another_models_gallery_is_refused_by_name(run, other_model, pages, shared_gallery):
    page = pages / "scribe-0" / "b.png"
    for command in (("identify", page), ("enroll", "Ann", page)):
        told = sentence(run(*command, "--gallery", shared_gallery, "--model", other_model))
        assert "made with another model, 'tiny'" in told


def test_slips_with_pages_are_one_sentence(run, tiny_model, pages, shared_gallery, tmp_path):
    white, good = tmp_path / "white.png", pages / "scribe-1" / "b.png"
    Image.new("RGB", (1200, 1600), "white").save(white)
    model = ("--model", tiny_model)
    assert "found no legible word" in sentence(run("verify", white, good, *model))
    assert "no such file or folder" in sentence(run("verify", good, "gone.png", *model))
    assert "found no legible word" in sentence(run("enroll", "Ann", white, "--gallery", "g", *model))
    assert not Path("g").exists()
    done = run("identify", "gone.png", white, good, "--gallery", shared_gallery, *model)
    assert done.code == 1 and ": scribe-1" in done.out
    assert [line[:16] for line in done.err.splitlines()] == ["not identified: "] * 2
    assert run("identify", white, "--gallery", shared_gallery, *model).code == 3


def test_a_model_without_comparisons_says_what_to_do(run, tiny_model, pages, tmp_path):
    bare = tmp_path / "bare"
    shutil.copytree(tiny_model, bare)
    (bare / "comparison.json").unlink()
    page = pages / "scribe-0" / "b.png"
    assert "run `handshift calibrate`" in sentence(run("verify", page, page, "--model", bare))


def test_enroll_wants_one_thing_at_a_time(run, pages):
    for words in ((), ("Ann",), ("Ann", pages / "scribe-0", "--list")):
        done = run("enroll", *words, "--gallery", "g")
        assert done.code == 2 and "give a NAME and its PAGES, or one of" in done.err


def test_a_file_of_somebody_elses_is_not_written_over(run, tiny_model, pages, shared_gallery):
    Path("mine.json").write_text('{"my": "own"}')
    page = pages / "scribe-0" / "b.png"
    for command in (("verify", page, page), ("identify", page, "--gallery", shared_gallery)):
        assert run(*command, "--model", tiny_model, "--json", "mine.json").code == 4
    assert Path("mine.json").read_text() == '{"my": "own"}'
