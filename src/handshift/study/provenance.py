"""Where a result comes from: the commit, or the installed package, and the machine.

Results are only worth keeping if the code that made them can be checked out. Studies and benchmarks
therefore refuse a tree that differs from its commit, unless their result is marked as a draft.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
from functools import lru_cache
from importlib import metadata
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from handshift.core.errors import HandshiftError

PACKAGES = (
    "handshift",
    "torch",
    "numpy",
    "scipy",
    "scikit-learn",
    "opencv-python-headless",
    "onnxruntime",
    "lightning-fabric",
)
CODE = ("src", "studies", "benchmarks", "pyproject.toml", "constraints.txt")
"""What decides a result. Changes elsewhere (docs/, results/, tests/) do not make a tree dirty."""
PACKAGE = Path(__file__).parents[1]
NAMED = 5
"""Changed files that an error message names."""


class DirtyTreeError(HandshiftError):
    """The code differs from its commit, so that a result could not be traced to it."""


class Origin(BaseModel):
    """The code, the packages and the machine behind a result."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    commit: str | None
    """None where the package is not run from its repository."""
    changed: tuple[str, ...] = ()
    """Files that differed from the commit; only a draft may have any."""
    draft: bool = False
    package: str | None = None
    """SHA-256 of the package's files, where there is no commit."""
    wheel: str | None = None
    """SHA-256 of the wheel that was installed, where pip recorded it."""
    versions: dict[str, str] = {}
    machine: dict[str, str | int] = {}

    @property
    def traceable(self) -> bool:
        """Whether the result came from unchanged code of a commit, and is no draft."""
        return self.commit is not None and not self.changed and not self.draft


def origin(draft: bool = False, package: Path | None = None) -> Origin:
    """Describe the code and the machine of this process.

    Args:
        draft: Mark the result as a draft, and allow code that differs from its commit.
        package: Folder of the package that runs; this one if not given.

    Returns:
        The commit and the files that differ from it; outside the repository the hash of the package
        and, where pip recorded it, of the wheel.

    Raises:
        DirtyTreeError: Code differs from its commit and ``draft`` is false.
    """
    package = package or PACKAGE
    root = _repository(package)
    if root is None:
        return Origin(
            commit=None,
            draft=draft,
            package=package_hash(package),
            wheel=_wheel_hash(),
            versions=versions(),
            machine=machine(),
        )
    commit = _git(root, "rev-parse", "HEAD")
    changed = changed_files(root)
    if changed and not draft:
        names = ", ".join(changed[:NAMED]) + (" …" if len(changed) > NAMED else "")
        raise DirtyTreeError(
            f"{root}: {len(changed)} files differ from commit {commit[:9]} ({names}). Commit them, run "
            "from a second `git worktree` at a commit, or mark the result with --draft."
        )
    return Origin(commit=commit, changed=changed, draft=draft, versions=versions(), machine=machine())


def changed_files(root: Path) -> tuple[str, ...]:
    """Files of ``CODE`` below ``root`` that differ from the commit or are not in it."""
    listed = _git(root, "status", "--porcelain", "--untracked-files=all", "--no-renames", "--", *CODE)
    return tuple(line[3:] for line in listed.splitlines())


def versions() -> dict[str, str]:
    """Python's version and those of the packages that decide a result."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, str | int]:
    """Processor, cores and memory; nothing that names the machine or its user."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gb": round(pages / 2**30),
    }


@lru_cache(maxsize=1)
def package_hash(package: Path = PACKAGE) -> str:
    """SHA-256 over the names and contents of a package's files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in package.rglob("*") if path.is_file()):
        if "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(package).as_posix()} {content}\n".encode())
    return digest.hexdigest()


def _repository(package: Path) -> Path | None:
    """The repository that tracks the package; None for an installed one, whatever folder that lies in."""
    try:
        _git(package, "ls-files", "--error-unmatch", "__init__.py")
        _git(package, "rev-parse", "HEAD")
        return Path(_git(package, "rev-parse", "--show-toplevel"))
    except (OSError, subprocess.CalledProcessError):
        return None


def _wheel_hash() -> str | None:
    try:
        recorded = metadata.distribution("handshift").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        return None
    archive = json.loads(recorded).get("archive_info", {}) if recorded else {}
    found = archive.get("hashes", {}).get("sha256") or archive.get("hash", "").removeprefix("sha256=")
    return found or None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor())


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.rstrip("\n")
