"""Every row of docs/sources.md runs on small drawn words, its command and its Python, in the page's order."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from drawn_words import draw_source_layout
from run_handshift import handshift

DOCS = Path(__file__).parents[2] / "docs"
TINY = "--widths 4,6,8 --dimensions 8 --batch 8 --steps 1 --evaluate-every 1 --threads 1 --kindred 0"
SMALL = {
    "train embed": f"{TINY} --words crops",
    "train detect": "--steps 1 --evaluate-every 1 --batch 4 --held-out 40 --size 8 --no-longer --threads 1",
    "bags runs/vectors --protocol words": "--count 12 --size 8",
    "clean": TINY,
    "invert": "--steps 1 --images 1 --threads 1",
    "evaluate": "--pairs 100 --impostors 100 --repeats 5 --rounds 1",
    "maps simulate": "--train 8 --test 3",
    "maps train maps --detector": "--domain A",
    "maps train": "--domain A --domain C --steps 1 --batch 4 --width 32 --depth 2",
    "study run": "--draft --jobs 1",
    "study import": "--results runs/published",
}
"""Options that make a row's command small; a command that none fits runs as printed."""
REPLACED = {"--preset source": "--preset source --backbone small-resnet"}
"""ViT-B/16 is built in tests/embedding; here the source's preset trains a small network."""


STUDY = """
name: study
title: Top-q on maps of one's own
task: maps
base:
  data: {folder: maps}
  recipe: {steps: 1, batch: 4, width: 32, depth: 2}
variants:
  baseline: {}
  top-2: {recipe.loss: top-q, recipe.options: {q: 2}}
seeds: [42, 43]
metrics: [auroc, tpr_at_1]
baseline: baseline
bootstrap: 20
"""


@dataclass(frozen=True)
class Row:
    what: str
    command: str
    python: str


def rows(page: str) -> list[Row]:
    found = []
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) >= 3 and (command := re.fullmatch(r"`(handshift .*)`", cells[1])):
            python = re.fullmatch(r"`(.*)`", cells[2])
            assert python, f"{page}: {cells[0]} has no Python"
            assert len(cells) == 5 and all(cells), f"{page}: {cells[0]} has an empty cell"
            found.append(Row(cells[0], command[1], python[1]))
    return found


ROWS = rows("sources.md")


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    """The working folder that the rows share: words, split.json, and what earlier rows made."""
    folder = tmp_path_factory.mktemp("desk")
    draw_source_layout(folder / "words", writers=8, repetitions=(0, 1, 9, 10))
    names = [f"{number:04d}" for number in range(8)]
    parts = {"train": names[:3], "validation": names[3:5], "test": names[5:]}
    (folder / "split.json").write_text(json.dumps({"corpus": "words", "seed": 0, "parts": parts}))
    (folder / "study.yaml").write_text(STUDY)
    shutil.copy(DOCS.parent / "studies" / "source-hdmap.csv", folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


def test_the_page_has_rows_and_none_says_that_something_cannot_be_reached():
    assert len(ROWS) > 20
    assert "not reachable" not in (DOCS / "sources.md").read_text(encoding="utf-8")


def test_the_korean_page_has_the_same_rows():
    korean = rows("sources.ko.md")
    assert [(row.command, row.python) for row in korean] == [(row.command, row.python) for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.what[:40])
@pytest.mark.usefixtures("desk")
def test_a_row_runs_by_command_and_from_python(row):
    command = row.command
    for given, instead in REPLACED.items():
        command = command.replace(given, instead)
    words = shlex.split(command)[1:]
    small = next((more for name, more in SMALL.items() if " ".join(words).startswith(name)), "")
    if "--backbone resnet18" in command:
        small = small.replace("--widths 4,6,8 ", "")
    handshift(*words, *shlex.split(small))
    exec(row.python, {})
