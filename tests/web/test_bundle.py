"""The committed bundle is what its sources build."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "src" / "handshift" / "web" / "static"


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs Node and npm")
def test_the_bundle_is_built_from_its_sources(tmp_path: Path) -> None:
    copy = tmp_path / "web"
    shutil.copytree(ROOT / "web", copy, ignore=shutil.ignore_patterns("node_modules"))
    installed = subprocess.run(
        ["npm", "ci", "--no-fund", "--no-audit"], cwd=copy, capture_output=True, check=False
    )
    if installed.returncode:
        assert b"EUSAGE" not in installed.stderr, (
            installed.stderr.decode()
        )  # lock file and package.json differ
        pytest.skip("the npm registry cannot be reached")
    built = subprocess.run(
        ["npm", "run", "build", "--", "--outDir", str(tmp_path / "static")],
        cwd=copy,
        capture_output=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr.decode()
    for path in sorted(STATIC.iterdir()):
        assert (tmp_path / "static" / path.name).read_bytes() == path.read_bytes(), path.name


def test_the_lock_file_pins_every_package_and_names_no_registry() -> None:
    text = (ROOT / "web" / "package-lock.json").read_text("utf-8")
    packages = json.loads(text)["packages"]
    named = {name for one in packages.values() for name in one.get("optionalDependencies", {})}
    assert {f"node_modules/{name}" for name in named} <= packages.keys()  # those of other systems as well
    assert all(one.get("integrity") for name, one in packages.items() if name)
    assert "resolved" not in text and "registry" not in text


def test_both_languages_have_every_text() -> None:
    english, korean = (
        json.loads((ROOT / "web" / "src" / "texts" / f"{language}.json").read_text("utf-8"))
        for language in ("en", "ko")
    )
    assert english.keys() == korean.keys()
    fields = {key: sorted(part for part in text.split("{")[1:]) for key, text in english.items()}
    for key, text in korean.items():
        names = {part.partition("}")[0] for part in text.split("{")[1:]}
        assert names == {part.partition("}")[0] for part in fields[key]}, key
