"""Options mean one thing everywhere, and their old names work for one more release."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from handshift.cli import app
from handshift.cli.lazy import COMMANDS, load
from handshift.cli.renamed_options import RENAMED, with_current_names
from handshift.page.safe_xml import descendants, parse_xml


def _options(command: str) -> set[str]:
    name, _, inner = command.partition(" ")
    loaded = load(name)
    found = loaded.commands[inner] if inner else loaded
    return {spelling for parameter in found.params for spelling in parameter.opts}


@pytest.mark.parametrize("command", RENAMED)
def test_an_old_name_is_hidden_and_its_new_name_is_an_option_of_the_command(command):
    options = _options(command)
    for old, new in RENAMED[command].items():
        assert new in options and old not in options


def test_old_names_are_replaced_with_a_warning(capsys):
    given = ["train", "detect", "--model", "ab-mil", "--rate=0.01", "--out", "runs"]
    wanted = ["train", "detect", "--architecture", "ab-mil", "--learning-rate=0.01", "--out", "runs"]
    assert with_current_names(given) == wanted
    assert capsys.readouterr().err.splitlines() == [
        f"handshift: warning: {old} is now {new}; the old name will go"
        for old, new in (("--model", "--architecture"), ("--rate", "--learning-rate"))
    ]


def test_the_same_name_in_another_command_and_a_path_after_two_dashes_are_left_alone(capsys):
    for given in (["verify", "--scale"], ["train", "embed", "--scale", "24"], ["examine", "--", "--scale"]):
        assert with_current_names(given) == given
    assert capsys.readouterr().err == ""


def test_an_old_name_still_does_its_work(run, letter, tmp_path):
    done = run("examine", letter, "--no-report", "--scale", tmp_path / "gone.json")
    assert "--scale is now --verbal-scale" in done.err
    assert done.code != 0 and "gone.json" in done.err


def test_tei_with_the_name_of_a_file_holds_all_pages(run, letter):
    Path("two").mkdir()
    for name in ("a", "b"):
        Path(f"two/{name}.png").write_bytes(letter.read_bytes())
    assert run("examine", "two", "--no-report", "--tei", "all.xml", "--json", "found.json").code == 0
    assert len(list(descendants(parse_xml(Path("all.xml")), "surface"))) == 2
    done = run("hands", "two", "--tei", "each", "--page-xml", "pages")
    assert done.code == 0, done.err
    assert sorted(path.name for path in Path("each").iterdir()) == ["a.tei.xml", "b.tei.xml"]
    words = sum(len(page["words"]) for page in json.loads(Path("found.json").read_text("utf-8"))["pages"])
    assert len(list(descendants(parse_xml(Path("all.xml")), "w"))) == words


def test_one_page_xml_file_holds_one_page(run, letter):
    Path("two").mkdir()
    for name in ("a", "b"):
        Path(f"two/{name}.png").write_bytes(letter.read_bytes())
    assert run("words", letter, "--page-xml", "one.xml").code == 0 and Path("one.xml").is_file()
    assert run("words", letter, "--page-xml", "folder").code == 0
    assert Path("folder/letter.xml").is_file()
    assert run("examine", "two", "--no-report", "--alto", "alto").code == 0
    tags = [list(descendants(parse_xml(path), "OtherTag")) for path in sorted(Path("alto").iterdir())]
    assert [tag.get("LABEL") for (tag,) in tags] == ["A", "A"]
    done = run("examine", "two", "--no-report", "--page-xml", "both.xml")
    assert done.code == 4 and "both.xml: PAGE-XML holds one page; give a folder for several" in done.err


def test_help_keeps_what_stands_in_angle_brackets(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    for command in (["examine"], ["hands"], ["train", "embed"], ["maps", "build"], ["maps", "simulate"]):
        loaded = load(command[0])
        loaded = loaded.commands[command[1]] if len(command) > 1 else loaded
        texts = [loaded.help, *(getattr(parameter, "help", None) for parameter in loaded.params)]
        shown = CliRunner().invoke(app, [*command, "--help"]).output
        for text in filter(None, texts):
            for word in text.split():
                if "<" in word and ">" in word:
                    bare = word.strip("`.,;:()")
                    assert bare in shown, f"{' '.join(command)} --help loses {bare}"


def test_every_example_of_a_command_has_a_line_of_its_own():
    for name in COMMANDS:
        loaded = load(name)
        for command in (loaded, *getattr(loaded, "commands", {}).values()):
            for paragraph in (command.help or "").split("\n\n"):
                assert paragraph.count("Example: ") <= 1, f"{name}: {paragraph}"
