"""What the documents tell the reader to type does what they say."""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from handshift.cli import app
from handshift.demo import ONE_HAND, TWO_HANDS

ROOT = Path(__file__).parent.parent
KOREAN = ROOT / "README.ko.md"
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
"""The Korean README is compared with the English one instead."""
ROAD = ROOT / "docs" / "own-model.md"
"""Its commands follow from each other; tests/test_own_model.py runs them in their order."""
HANDSHIFT = Path(sys.executable).with_name("handshift")
QUICK = {"demo", "examine", "models", "scribe", "words", "--version"}
"""Commands that are run as written; of the others, the help must know every option."""


@dataclass(frozen=True)
class Block:
    document: Path
    line: int
    language: str
    code: str
    skip: str | None
    """The reason in ``<!-- skip: reason -->`` on the line before, if it is there."""


def blocks(document: Path) -> Iterator[Block]:
    text = document.read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        before = text[: found.start()].rstrip("\n").rpartition("\n")[2]
        mark = re.fullmatch(r"<!-- skip:(.*)-->", before)
        line = text.count("\n", 0, found.start()) + 1
        yield Block(document, line, found[1], found[2], mark and mark[1].strip())


def commands(document: Path) -> list[str]:
    lines = [
        line
        for block in blocks(document)
        if block.language == "sh" and block.skip is None
        for line in block.code.replace("\\\n", " ").splitlines()
    ]
    return [line.partition("  #")[0] for line in lines if line.startswith("handshift ")]


def name(document: Path) -> str:
    return str(document.relative_to(ROOT))


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with what the documents assume to lie there: a letter, its text, two folders of scans."""
    shutil.copy(TWO_HANDS, tmp_path / "letter.png")
    (tmp_path / "letter.txt").write_text("The key hangs behind the door.\n", encoding="utf-8")
    (tmp_path / "scans").mkdir()
    shutil.copy(ONE_HAND, tmp_path / "scans" / "page-1.png")
    (tmp_path / "more").mkdir()
    shutil.copy(ONE_HAND, tmp_path / "more" / "page-2.pdf")  # the kind is told by content
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_a_block_is_left_out_only_for_a_stated_reason(document: Path) -> None:
    assert all(block.skip != "" for block in blocks(document))


@pytest.mark.usefixtures("desk")
@pytest.mark.parametrize(
    "document", [d for d in DOCUMENTS if any(b.language == "python" for b in blocks(d))], ids=name
)
def test_the_python_of_a_document_runs_from_top_to_bottom(document: Path) -> None:
    session: dict[str, object] = {"__name__": "session"}
    for block in blocks(document):
        if block.language == "python" and block.skip is None:
            # Blank lines before it make a traceback point at the document's own line.
            code = compile("\n" * block.line + block.code, name(document), "exec")
            exec(code, session)


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if commands(d) and d != ROAD], ids=name)
def test_the_commands_of_a_document_run_as_written(document: Path, desk: Path) -> None:
    for command in commands(document):
        words = shlex.split(command)[1:]
        if words[0] in QUICK:
            # The shell, for its patterns and quotes.
            line = command.replace("handshift", shlex.quote(str(HANDSHIFT)), 1)
            run = subprocess.run(line, shell=True, cwd=desk, capture_output=True, text=True, timeout=120)
            assert run.returncode == 0, f"{command}\n{run.stdout}\n{run.stderr}"
        else:
            assert_help_knows(words)


def assert_help_knows(words: list[str]) -> None:
    arguments = [word for word in words if not word.startswith("-")]
    groups = arguments[: 2 if arguments[0] in ("corpus", "study", "train", "maps") else 1]
    shown = help_of(*groups)
    for option in (word.partition("=")[0] for word in words if word.startswith("--")):
        assert option in shown, f"handshift {' '.join(groups)} has no {option}"


@cache
def help_of(*groups: str) -> str:
    """What ``handshift GROUPS --help`` prints, in this process: an interpreter each would take minutes."""
    run = CliRunner().invoke(app, [*groups, "--help"], env={"COLUMNS": "200"})
    assert run.exit_code == 0, run.output
    return run.output


def test_both_readmes_give_the_same_code() -> None:
    def code(readme: Path) -> list[str]:
        # Comments are in the reader's language.
        return [re.sub(r"#.*", "#", block.code) for block in blocks(readme) if block.language != "text"]

    assert code(ROOT / "README.md") == code(KOREAN)


def test_every_link_within_the_documents_leads_somewhere() -> None:
    for document in [*DOCUMENTS, KOREAN, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        text = document.read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
            assert (document.parent / target).exists(), f"{name(document)}: {target}"


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert f" {page.name}" in contents


def test_the_reference_names_what_exists() -> None:
    named = [
        name
        for page in (ROOT / "docs" / "reference").glob("*.md")
        for name in re.findall(r"^::: (\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert len(named) > 20
    for name in named:
        assert pkgutil.resolve_name(name) is not None, name


def test_the_make_targets_only_name_commands_of_the_documents() -> None:
    told = "".join((ROOT / document).read_text("utf-8") for document in ("README.md", "CONTRIBUTING.md"))
    recipes = re.findall(r"^\t(.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert recipes
    assert [recipe for recipe in recipes if recipe not in told] == []


def test_the_figures_in_the_documents_are_those_that_were_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    for document, wanted in figures().documents().items():
        stale = f"{name(document)}: run python docs/figures.py"
        assert document.read_text(encoding="utf-8") == wanted, stale


def figures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures", ROOT / "docs" / "figures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
