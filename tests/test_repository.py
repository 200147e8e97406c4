"""What keeps the repository in order: hooks, templates, citation, hosted checks."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import yaml

import handshift

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _yaml(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_hooks_use_the_installed_tools_alone_so_that_they_work_offline() -> None:
    hooks = ".pre-commit-config.yaml"
    assert {repo["repo"] for repo in _yaml(hooks)["repos"]} == {"local"}
    assert {hook["language"] for repo in _yaml(hooks)["repos"] for hook in repo["hooks"]} == {"system"}
    check = [sys.executable, "-m", "pre_commit", "validate-config", hooks]
    assert subprocess.run(check, cwd=ROOT, capture_output=True, text=True).returncode == 0


def test_both_readmes_list_the_extras_that_exist() -> None:
    extras = set(PROJECT["optional-dependencies"])
    for name in ("README.md", "README.ko.md"):
        listed = re.findall(r"^\| `(\w+)` \|", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert set(listed) == extras, name


def test_the_citation_names_this_version_and_licence() -> None:
    citation = _yaml("CITATION.cff")
    assert citation["version"] == handshift.__version__
    assert citation["license"] == PROJECT["license"]


def test_hosted_checks_run_the_same_script_on_every_python_that_is_claimed() -> None:
    job = _yaml(".github/workflows/ci.yml")["jobs"]["everything"]
    assert [step["run"] for step in job["steps"] if "run" in step] == [".ci/run"]
    versions = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if ":: Python :: 3." in name]
    assert job["strategy"]["matrix"]["python"] == versions


def test_templates_are_forms_with_named_fields() -> None:
    for template in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"):
        form = yaml.safe_load(template.read_text(encoding="utf-8"))
        if template.name != "config.yml":
            assert form["name"] and form["description"], template.name
            assert any(field.get("validations", {}).get("required") for field in form["body"]), template.name


def test_every_decision_is_listed_with_its_measurement() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "index.md").read_text(encoding="utf-8")
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    records = sorted(folder.glob("0*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    for record in records:
        text = record.read_text(encoding="utf-8")
        assert "**Decision.**" in text and "**Why.**" in text, record.name
        assert "**Measured.**" in text or "**Today.**" in text, record.name
        assert f"({record.name})" in listed and f"decisions/{record.name}" in contents, record.name
