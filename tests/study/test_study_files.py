"""Every study file of the repository can be run: its task, fields and metrics are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from handshift.study.spec import load_spec
from handshift.study.task import TASKS, checked_configs, find_task

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "studies").glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_study_file_is_named_as_its_study_and_is_valid(path: Path) -> None:
    spec = load_spec(path)
    assert spec.name == path.stem
    assert checked_configs(spec, find_task(spec.task)).keys() == spec.expanded().keys()


def test_every_registered_task_is_on_the_page_of_tasks() -> None:
    page = (ROOT / "docs" / "study-tasks.md").read_text("utf-8")
    for name in TASKS:
        assert f"\n## {name}\n" in page
        for field in find_task(name).config.model_fields:
            assert f"`{field}" in page.partition(f"\n## {name}\n")[2]
