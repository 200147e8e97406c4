"""Synthetic scribes: consistent hands, exact truth."""

import hashlib
import json
import os
import subprocess
import sys
import unicodedata
from itertools import pairwise, product

import cv2
import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from handshift.cli.scribe import scribe as scribe_command
from handshift.core.errors import CorpusError
from handshift.corpus.layouts import read_corpus
from handshift.corpus.scribes import (
    Layout,
    Paper,
    Passage,
    Pen,
    Scribe,
    demo_one_hand,
    demo_two_hands,
    draw_page,
    draw_word,
    mixed_passages,
    save_page,
)
from handshift.corpus.scribes.hangul import decomposed, hangul_glyph
from handshift.corpus.scribes.hangul_jamo import FINALS, INITIALS, MEDIALS
from handshift.corpus.scribes.letters import writable
from handshift.corpus.scribes.page import VISIBLE
from handshift.corpus.scribes.texts import ENGLISH, ENGLISH_NOTE, KOREAN
from handshift.corpus.scribes.word_folder import draw_word_folder

PEN = Pen()


def page_hash(seed: int) -> str:
    page = draw_page([Passage(Scribe(3), "quick notes"), Passage(Scribe(4), "한글 too")], seed=seed)
    return hashlib.sha256(page.image.tobytes() + repr(page.words).encode()).hexdigest()


def likeness(one: np.ndarray, other: np.ndarray) -> float:
    """Correlation of two words set side by side at their left edge, as an eye at some distance sees them."""
    canvas = np.zeros((2, 90, 220), np.float32)
    for sheet, word in zip(canvas, (one, other), strict=True):
        height, width = min(90, word.shape[0]), min(220, word.shape[1])
        sheet[:height, :width] = word[:height, :width]
    left, right = (cv2.GaussianBlur(sheet, (0, 0), 3.0).ravel() for sheet in canvas)
    return float(np.corrcoef(left, right)[0, 1])


def test_one_seed_is_one_page_in_every_process():
    code = "import test_scribes; print(test_scribes.page_hash(5))"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.path.dirname(__file__)}  # noqa: PTH120
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert elsewhere.stdout.strip() == page_hash(5)
    assert page_hash(5) != page_hash(6)


def test_two_drawings_of_a_word_differ_yet_are_one_hand():
    same, other = [], []
    for number in range(12):
        first, second = (draw_word(Scribe(number), "morning", seed, pen=PEN) for seed in (1, 2))
        assert first.shape != second.shape or not np.array_equal(first, second)
        same.append(likeness(first, second))
        others = (draw_word(Scribe((number + step) % 12), "morning", 3, pen=PEN) for step in (1, 4, 7))
        other.append(np.mean([likeness(first, word) for word in others]))
    assert np.mean(same) > np.mean(other) + 0.15
    assert np.mean(np.array(same) > np.array(other)) >= 0.75


def test_a_session_drifts_less_than_hands_differ():
    def habits(scribe: Scribe) -> np.ndarray:
        traits = scribe.traits
        return np.array([np.log(traits.x_height_mm), traits.slant_deg, np.log(traits.pen.width_mm)])

    usual = np.array([habits(Scribe(number)) for number in range(60)])
    other_day = np.array([habits(Scribe(number).in_session(2)) for number in range(60)])
    drift, spread = (other_day - usual).std(axis=0), usual.std(axis=0)
    assert (drift > 0).all()
    assert (drift < spread).all()
    assert (drift[:2] < spread[:2] / 2).all()  # pens change more than hands do
    assert Scribe(4).in_session(0).traits == Scribe(4).traits


@pytest.mark.parametrize("text", [ENGLISH, ENGLISH_NOTE, KOREAN])
def test_truth_names_every_word_in_reading_order(text: str):
    page = draw_page([Passage(Scribe(14), text)], seed=2, dpi=75)
    assert page.image.shape == (700, 638, 3)
    assert [word.text for word in page.words] == text.split()
    for before, after in pairwise(page.words):
        assert after.line in (before.line, before.line + 1)
        if after.line == before.line:
            assert after.box.x > before.box.x


def test_boxes_are_tight_around_the_ink_they_carry():
    page = draw_page([Passage(Scribe(2), ENGLISH)], seed=4)
    for word in page.words:
        assert word.ink.shape == (word.box.height, word.box.width)
        edges = (word.ink[0], word.ink[-1], word.ink[:, 0], word.ink[:, -1])
        assert all(edge.max() >= VISIBLE for edge in edges)


def test_boxes_are_where_the_page_is_dark():
    pen = Pen("black", grain=0, darkness=0.9)
    page = draw_page([Passage(Scribe(20), "Halfway")], seed=1, noise=0, pen=pen)
    dark = page.image[:, :, 1] < 245 - VISIBLE * 205 / 255
    rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
    x, y, width, height = page.words[0].box
    found = np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1])
    assert np.abs(found - (x, y, x + width, y + height)).max() <= 1


@pytest.mark.parametrize(
    ("paper", "slope"), [("plain", -4.0), ("plain", 4.0), ("ruled", 2.0), ("squared", 0.0)]
)
def test_no_word_leaves_the_sheet(paper: str, slope: float):
    layout = Layout(slope_deg=slope, sag_mm=3)
    page = draw_page([Passage(Scribe(20), ENGLISH)], seed=1, paper=paper, layout=layout, dpi=60)
    height, width, _ = page.image.shape
    for x, y, w, h in (word.box for word in page.words):
        assert 0 < x < x + w < width and 0 < y < y + h < height


def test_papers_differ_under_the_same_writing():
    pages = {
        paper: draw_page([Passage(Scribe(1), "one line")], seed=1, paper=paper, dpi=75) for paper in Paper
    }
    assert len({page.image.tobytes() for page in pages.values()}) == len(Paper)
    red, blue = (int(pages[Paper.TINTED].image[:, :, channel].mean()) for channel in (0, 2))
    assert red > blue + 20


def test_a_foreign_hand_takes_over_in_the_middle_of_a_line():
    passages = mixed_passages(ENGLISH, Scribe(9), Scribe(5), start=45, count=15)
    page = draw_page(passages, seed=1, dpi=75)
    assert [word.scribe for word in page.words] == [9] * 45 + [5] * 15 + [9] * 27
    assert page.words[44].line == page.words[45].line


def test_the_words_before_a_foreign_block_are_the_ones_of_the_single_hand():
    alone = draw_page([Passage(Scribe(9), ENGLISH)], seed=1, dpi=75)
    mixed = draw_page(mixed_passages(ENGLISH, Scribe(9), Scribe(5), 45, 15), seed=1, dpi=75)
    assert alone.words[:45] == mixed.words[:45]


def test_demo_pages_hold_about_80_words_and_15_foreign_ones():
    one, two = demo_one_hand(), demo_two_hands()
    assert len(one.words) == len(two.words) == 87
    assert len({word.scribe for word in one.words}) == 1
    foreign = [place for place, word in enumerate(two.words) if word.scribe != two.words[0].scribe]
    assert foreign == list(range(45, 60))


def test_syllables_compose_of_all_jamo_in_all_layouts():
    for (i, _), (m, _) in product(enumerate(INITIALS), enumerate(MEDIALS)):
        for final in {0, 1 + (5 * i + m) % 27}:
            syllable = chr(0xAC00 + (i * 21 + m) * 28 + final)
            parts = decomposed(syllable)
            assert parts == (INITIALS[i], MEDIALS[m], FINALS[final].strip())
            assert len(unicodedata.normalize("NFD", syllable)) == len([part for part in parts if part])
            points = np.concatenate([stroke.points for stroke in hangul_glyph(3, syllable)])
            assert np.isfinite(points).all()
            assert np.ptp(points[:, 0]) > 0.6 and np.ptp(points[:, 1]) > 1.0
    assert {FINALS[1 + (5 * i + m) % 27] for i in range(19) for m in range(21)} == set(FINALS[1:])


def test_a_final_consonant_stands_below_its_syllable():
    open_syllable, closed = hangul_glyph(3, "가"), hangul_glyph(3, "강")
    assert closed[0].points[:, 1].mean() > open_syllable[0].points[:, 1].mean()
    assert closed[-1].points[:, 1].max() < closed[0].points[:, 1].max()


def test_every_printable_letter_can_be_written_by_any_scribe():
    letters = "".join(chr(code) for code in range(33, 127) if chr(code) not in "<>[]\\^{|}~")
    for number in range(3):
        for text in (letters[:42], letters[42:], "äöüßÄÖÜéèñç", "ㅋㅋㅠㄳ"):
            assert draw_word(Scribe(number), text, 1).max() > VISIBLE


def test_typographic_characters_are_written_plainly():
    assert writable("“Don’t” – e\u0301tude…") == '"Don\'t" - étude...'


def test_an_unknown_character_is_named():
    with pytest.raises(CorpusError, match=r"character 3 .*U\+6F22"):
        draw_page([Passage(Scribe(1), "a 漢 b")], seed=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw_page([], seed=1), "no words"),
        (lambda: draw_page([Passage(Scribe(1), ENGLISH)], seed=1, layout=Layout(height_mm=60)), "lines"),
        (lambda: draw_page([Passage(Scribe(1), "m" * 200)], seed=1), "wide"),
        (lambda: draw_page([Passage(Scribe(1), "a")], seed=1, paper="marble"), "marble"),
        (lambda: draw_page([Passage(Scribe(1), "a")], seed=1, dpi=5), "dpi"),
        (lambda: draw_word(Scribe(1), "two words", 1), "one word"),
        (lambda: draw_word(Scribe(1), "", 1), "one word"),
        (lambda: mixed_passages("a b c", Scribe(1), Scribe(2), 2, 2), "words 0 to 2"),
        (lambda: Scribe(-1), "counted from 0"),
        (lambda: Pen(ink="green"), "green"),
    ],
)
def test_what_cannot_be_drawn_is_explained(call, message):
    with pytest.raises(CorpusError, match=message):
        call()


def test_a_page_is_saved_with_its_truth(tmp_path):
    page = draw_page(mixed_passages("we write 이 글 here", Scribe(1), Scribe(2), 2, 2), seed=1, dpi=75)
    truth = json.loads(save_page(page, tmp_path / "page.png").read_text(encoding="utf-8"))
    assert [word["scribe"] for word in truth["words"]] == [1, 1, 2, 2, 1]
    assert truth["words"][2]["text"] == "이"
    assert truth["words"][0]["box"] == list(page.words[0].box)
    assert np.array_equal(cv2.imread(str(tmp_path / "page.png"))[:, :, ::-1], page.image)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.json", "page.png"]


class TestCommand:
    app = typer.Typer()
    app.command()(scribe_command)

    def run(self, *arguments: str, text: str | None = None):
        return CliRunner().invoke(self.app, [*arguments, "--dpi", "60"], input=text, env={"COLUMNS": "300"})

    def test_draws_two_hands(self, tmp_path):
        out = tmp_path / "page.png"
        arguments = ("--hands", "3,7", "--foreign", "2-3", "--text", "-", "--out", str(out))
        result = self.run(*arguments, text="a b c d")
        assert result.exit_code == 0, result.output
        words = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))["words"]
        assert [word["scribe"] for word in words] == [3, 7, 7, 3]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--hands", "x"], "'x' is not a scribe"),
            (["--hands", "1,2"], "which words"),
            (["--hands", "1", "--foreign", "2-3"], "second hand"),
            (["--hands", "1,2", "--foreign", "9-3"], "not a range"),
            (["--hands", "1,2", "--foreign", "3-999"], "none numbered 999"),
            (["--text", "missing.txt"], "missing.txt"),
            (["--out", "page.jpg"], ".png"),
        ],
    )
    def test_explains_bad_input(self, tmp_path, monkeypatch, arguments, message):
        monkeypatch.chdir(tmp_path)
        result = self.run("--out", "page.png", *arguments)
        assert result.exit_code == 2
        assert message in result.output
        assert not list(tmp_path.iterdir())


def test_word_pictures_are_drawn_as_a_corpus_that_is_read_as_words(tmp_path):
    drawn = list(draw_word_folder(tmp_path / "words", 2, (0, 9), ["key", "door", "lock"]))
    corpus = read_corpus(tmp_path / "words")
    assert drawn == [6, 6] and corpus.of_words
    assert [sample.text for sample in corpus.samples[:3]] == ["key", "door", "lock"]
    assert {(sample.page, sample.session) for sample in corpus.samples if sample.writer == "0001"} == {
        ("0001_r00", 0),
        ("0001_r09", 1),
    }
    with pytest.raises(CorpusError, match="holds something"):
        next(draw_word_folder(tmp_path / "words", 2, (0,), ["key"]))
