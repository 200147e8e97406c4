"""handshift words, models and the entrance to them all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from handshift import __version__
from handshift.cli.lazy import COMMANDS, load
from handshift.demo import ONE_HAND
from handshift.models.shipped_models import shipped_models


def test_words_counts_lines_and_words(run):
    done = run("words", ONE_HAND)
    assert done.code == 0
    assert f"{ONE_HAND} p.1: 87 words on 5 lines" in done.out


def test_words_are_drawn_and_written(run, letter):
    for _ in range(2):  # the second time over its own files
        done = run("words", letter, "--overlay", "o.png", "--json", "w.json", "--page-xml", "w.xml")
        assert done.code == 0
    with Image.open("o.png") as drawn, Image.open(letter) as scan:
        assert drawn.size == scan.size
    found = json.loads(Path("w.json").read_text(encoding="utf-8"))
    assert len(found["words"]) == Path("w.xml").read_text(encoding="utf-8").count("<Word ")


def test_the_scan_is_not_drawn_over(run, letter):
    before = letter.read_bytes()
    assert run("words", letter, "--overlay", letter).code == 4
    assert letter.read_bytes() == before
    assert run("words", letter, "--overlay", "o.jpg").code == 2


def test_a_page_beyond_the_last_is_told(run, letter):
    done = run("words", letter, "--page", 2)
    assert done.code == 3 and "has 1 page, none numbered 2" in done.err


def test_a_missing_page_is_one_sentence(run):
    done = run("words", "gone.png")
    assert (done.code, done.err) == (3, "handshift: gone.png: no such file; check the spelling\n")


def test_models_are_listed_with_their_cards(run):
    done = run("models")
    assert done.code == 0
    for model in shipped_models():
        assert f"{model.card.id}" in done.out and model.card.summary in done.out
        card = run("models", "show", model.card.id)
        assert card.code == 0 and model.card.trained_on in card.out


def test_an_unknown_model_is_told(run):
    done = run("models", "show", "nonsense")
    assert done.code == 3 and "no model 'nonsense'" in done.err


def test_version(run):
    assert run("--version").out == f"handshift {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_loads_and_its_help_has_an_example(run, name):
    assert load(name).name == name or load(name).commands
    done = run(name, "--help")
    assert done.code == 0 and "Example" in done.out
