"""axe-core for the tests of accessibility: from web/node_modules, or installed for the moment."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


def axe_source(folder: Path) -> str:
    """The script, in the version that web/package.json names; skipped where it cannot be had."""
    own = WEB / "node_modules" / "axe-core" / "axe.min.js"
    if own.is_file():
        return own.read_text("utf-8")
    version = json.loads((WEB / "package.json").read_text("utf-8"))["devDependencies"]["axe-core"]
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("needs axe-core: npm is not installed")
    done = subprocess.run(
        [npm, "install", "--prefix", str(folder), "--no-fund", "--no-audit", f"axe-core@{version}"],
        capture_output=True,
        check=False,
    )
    if done.returncode:
        pytest.skip("needs axe-core: the npm registry cannot be reached")
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")
