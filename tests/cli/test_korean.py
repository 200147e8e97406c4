"""With `--lang ko` every command says what it says in Korean: on the terminal and in its report."""

from __future__ import annotations

import html
import json
import re
import shutil
from dataclasses import fields
from pathlib import Path

import pytest

from handshift.calibration.verbal_scale import Language
from handshift.core.model_card import ModelCard
from handshift.demo import ONE_HAND, TWO_HANDS
from handshift.models.shipped_models import find_model
from handshift.report.about_run import AboutRun
from handshift.report.page_report import texts

HANGUL = re.compile("[가-힣]")
ENGLISH = re.compile(r"(?:[A-Za-z][A-Za-z’']+[,;:]? +){2,}[A-Za-z]{2,}")
"""Three words in a row."""
REFERENCES = ("Marti & Bunke", "Liwicki & Bunke", "Mahmoud et al", "Khan et al", "csafe", "iam", "SIL OFL")
FORMAL = re.compile(r"(?:해요|네요|예요|이에요|군요|한다|이다|된다)[.\s]*$")
"""Ends of a sentence that are not of the formal register; those of propositions may be."""

RUNS: dict[str, tuple[object, ...]] = {
    "examine": ("examine", TWO_HANDS, ONE_HAND),
    "verify": ("verify", TWO_HANDS, ONE_HAND),
    "known": ("verify", TWO_HANDS, "--known", "anna"),
    "hands": ("hands", TWO_HANDS, ONE_HAND),
    "list": ("hands", TWO_HANDS, "--by", "line"),
    "identify": ("identify", TWO_HANDS, "--gallery", "gallery"),
}


def visible(report: Path) -> list[str]:
    """Every text of a report that a reader sees or is read aloud."""
    source = re.sub(r"<(style|script).*?</\1>", "", report.read_text("utf-8"), flags=re.S)
    source = re.sub(r"</?(?:b|i|sub|strong|em|a)\b[^>]*>", "", source)
    hidden = re.findall(r'(?:title|alt|aria-label)="([^"]*)"', source)
    return [html.unescape(text).strip() for text in (*re.split(r"<[^>]+>", source), *hidden)]


def english(text: str) -> str | None:
    """The English in a text; paths and citations are left out."""
    for known in REFERENCES:
        text = text.replace(known, "·")
    found = ENGLISH.search(re.sub(r"\S*[/\\]\S*", "·", text))
    return found.group() if found else None


@pytest.mark.parametrize("name", RUNS)
def test_a_report_and_the_terminal_hold_no_english_sentence(run, name):
    if name == "known":
        Path("anna").mkdir()
        for page in (ONE_HAND, TWO_HANDS):
            shutil.copy(page, "anna")
    if name == "identify":
        assert run("enroll", "Ada", ONE_HAND, "--gallery", "gallery").code == 0
    read = () if name in ("list", "identify") else ("--no-read",)
    done = run(*RUNS[name], "--out", "report", "--lang", "ko", *read)
    assert done.code == 0, done.err
    said = [line for line in done.out.splitlines() if len(line.split()) > 4]
    assert said and not [line for line in said if english(line)], done.out
    assert all(HANGUL.search(line) or re.search(r"\d", line) for line in said), done.out
    reports = sorted(Path("report").glob("*.html"))
    assert reports
    for report in reports:
        wrong = {found for text in visible(report) if (found := english(text))}
        assert not wrong, report.name
        source = report.read_text("utf-8")
        assert 'lang="ko"' in source
        assert re.search(r"@font-face[^}]*Hangul[^}]*src: url\(data:font/woff2", source), report.name


@pytest.mark.parametrize("command", ["find", "clusters"])
def test_searches_of_an_archive_are_korean_throughout(run, command):
    for number in range(3):
        shutil.copy(TWO_HANDS if number else ONE_HAND, f"{number}.png")
        Path(f"{number}.png").write_bytes(Path(f"{number}.png").read_bytes() + bytes(number))
    assert run("index", "0.png", "1.png", "2.png", "--store", "store", "--workers", 1).code == 0
    given = ("find", TWO_HANDS) if command == "find" else ("clusters", "--least", "-9")
    done = run(*given, "--store", "store", "--html", "found.html", "--lang", "ko")
    assert done.code == 0, done.err
    said = [line for line in done.out.splitlines() if len(line.split()) > 4]
    assert said and not [line for line in said if english(line)], done.out
    assert texts(Language.ko)["term_population"] in done.out
    assert not {found for text in visible(Path("found.html")) if (found := english(text))}
    if command == "find":
        assert "필적 2개(A, B)" in done.out  # all words of both hands were looked for
    else:
        assert "필적 1: 3쪽" in done.out  # two hands of a page are one page


@pytest.mark.parametrize(
    "wanted",
    [
        ("verify", "nowhere.png", ONE_HAND),
        ("examine", "nowhere.png"),
        ("hands", "nowhere.png"),
        ("hands", "nowhere.png", "--by", "line"),
        ("identify", ONE_HAND, "--gallery", "nowhere"),
        ("validate", "--data", "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_in_korean(run, wanted):
    done = run(*wanted, "--lang", "ko")
    assert done.code == 3
    said = re.sub(r"`[^`]+`", "·", done.err)  # without commands
    assert HANGUL.search(said) and not english(said), done.err


def test_the_template_of_a_validation_has_no_text_of_its_own():
    template = Path(texts.__code__.co_filename).with_name("templates") / "validation.html"
    assert not ENGLISH.search(re.sub(r"\{[{%].*?[%}]\}|<[^>]+>", "\n", template.read_text("utf-8")))


def test_one_term_for_one_thing_in_the_formal_register():
    said = {**texts(Language.ko), **_flat(_about()["words"]), **_flat(_about()["cards"])}
    for wrong in ("가능도비", "가능도", "우도율", "라이클리후드"):
        assert not [name for name, text in said.items() if wrong in text], wrong
    propositions = {name for name in said if name.startswith(("pair_one_", "pair_two_"))}
    assert not [name for name, text in said.items() if FORMAL.search(text) and name not in propositions]


@pytest.mark.parametrize("model", ["words-3", "words-4"])
def test_the_card_of_a_shipped_model_is_there_in_korean(model):
    card = find_model(model).card
    korean = _about()["cards"][model]
    written = {field.name for field in fields(ModelCard)} - {"id", "figures", "reads"}
    assert set(korean) == written
    for name in written:
        figures = re.findall(r"\d[\d,.]*\d|\d", getattr(card, name))
        assert _missing(figures, korean[name]) <= 3, (name, figures)  # 1.36 M is 136만
    assert all(HANGUL.search(text) for text in korean.values())


def test_a_laboratory_s_own_card_stays_as_it_was_written(korean_run):
    card = ModelCard("lab-1", "Our own network.", "ours", "ours", "ours", "none")
    shown = dict(AboutRun.of(korean_run(card)).card)
    assert shown["개요"] == "Our own network."


@pytest.fixture
def korean_run():
    from datetime import UTC, datetime

    from handshift.report.run_header import Run

    return lambda card: Run(card, datetime.now(UTC), {}, Language.ko)


def _missing(figures: list[str], text: str) -> int:
    return sum(figure.rstrip(".,") not in text for figure in figures)


def _about() -> dict[str, dict[str, dict[str, str]]]:
    path = Path(texts.__code__.co_filename).with_name("texts") / "about.ko.json"
    content: dict[str, dict[str, dict[str, str]]] = json.loads(path.read_text("utf-8"))
    return content


def _flat(values: object, under: str = "") -> dict[str, str]:
    if isinstance(values, str):
        return {under: values}
    assert isinstance(values, dict)
    return {key: text for name, one in values.items() for key, text in _flat(one, f"{under}/{name}").items()}
