"""Where a result comes from: versions, commit, machine."""

from __future__ import annotations

import platform
import subprocess
from importlib import metadata
from pathlib import Path

PACKAGES = (
    "handshift",
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "opencv-python-headless",
    "lightning-fabric",
)


def versions() -> dict[str, str]:
    """Python's version and those of the packages that shape a result."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def git_commit() -> str:
    """The commit this code was run from, ``+changes`` when files differ, ``none`` outside a repository."""
    here = Path(__file__).parent
    try:
        commit = _git(here, "rev-parse", "HEAD")
        return commit + ("+changes" if _git(here, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "none"


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()
