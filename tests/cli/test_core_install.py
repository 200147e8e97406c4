"""In an install without extras, a command that needs one names it instead of ending in a traceback."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from handshift.cli.extras import EXTRA_OF_MODULE
from handshift.demo import ONE_HAND

ROOT = Path(__file__).parents[2]
CORE = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def find_core(name, path=None, target=None):
    return None if name.partition('.')[0] in {hidden!r} else find(name, path, target)
PathFinder.find_spec = staticmethod(find_core)
from handshift.cli import main
sys.argv = ['handshift', *{arguments!r}]
main()
"""


def in_core_install(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = CORE.format(hidden=set(EXTRA_OF_MODULE), arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, timeout=300
    )


COMMANDS = {
    "train": [
        "train embed --data pages --out runs",
        "train detect --vectors vectors --split split.json --out runs",
        "train join a.onnx --words words --split split.json --out both",
        "clean pages --out clean",
        "invert model --writer a --out hand",
        "study status study.yaml",
    ],
    "maps": [
        "maps simulate gearbox --train 2 --test 2",
        "maps train maps --out model",
        "maps pretrain --out encoder",
    ],
}


@pytest.mark.parametrize(
    ("extra", "arguments"), [(extra, line) for extra, lines in COMMANDS.items() for line in lines]
)
def test_a_command_names_the_extra_it_needs(tmp_path, extra, arguments):
    done = in_core_install(tmp_path, *arguments.split())
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines()
    assert re.fullmatch(
        rf"handshift: .* needs \w+, which is not installed: pip install 'handshift\[{extra}\]'", line
    )


def test_a_page_is_examined_without_any_extra(tmp_path):
    done = in_core_install(tmp_path, "examine", str(ONE_HAND))
    assert done.returncode == 0, done.stderr


def test_a_pdf_names_its_extra(tmp_path):
    done = in_core_install(tmp_path, "examine", str(ONE_HAND), "--pdf")
    assert done.returncode == 3 and "pip install 'handshift[report]'" in done.stderr


def test_every_library_is_of_the_extra_that_brings_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    names = {"yaml": "pyyaml", "faiss": "faiss-cpu"}
    for module, extra in EXTRA_OF_MODULE.items():
        package = names.get(module, module.replace("_", "-"))
        brought = [re.split(r"[>=\[]", line)[0] for line in project["optional-dependencies"][extra]]
        assert package in brought, f"{extra} does not bring {package}"
