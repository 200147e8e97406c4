"""What the core install brings along: an SBOM, its licences, and known vulnerabilities.

    python .ci/supply_chain.py PYTHON [--sbom FILE]

PYTHON is the interpreter of an environment with handshift in it. Exit 1 where a licence does not fit
Apache-2.0, or a package has a known vulnerability; an audit that cannot reach its service is skipped.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ALLOWED = {
    *("Apache-2.0", "MIT", "BSD-3-Clause", "BSD-2-Clause", "0BSD", "ISC", "PSF-2.0", "Python-2.0"),
    *("Zlib", "MIT-CMU", "CC0-1.0"),
}
"""SPDX names that fit Apache-2.0."""
NAMES = {
    "License :: OSI Approved :: MIT License": "MIT",
    "License :: OSI Approved :: Apache Software License": "Apache-2.0",
    "License :: OSI Approved :: BSD License": "BSD-3-Clause",
    "License :: OSI Approved :: Python Software Foundation License": "PSF-2.0",
}
"""What packages write who do not write SPDX."""
FREE_TEXT = {"protobuf": ["BSD-3-Clause"], "pypdfium2": ["BSD-3-Clause", "Apache-2.0"]}
"""Packages that state their licence in words of their own, which CycloneDX leaves out; from their wheels."""
UNREACHABLE = re.compile(
    "(?i)connection|resolve|timed? ?out|unreachable|proxy|certificate|HTTPError|503|403|404"
)
TOOLS = {"pip", "setuptools", "wheel"}
"""Of the environment, not of handshift."""


def main() -> int:
    """Run the three checks, and return the exit code."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("python", type=Path)
    options.add_argument("--sbom", type=Path, help="keep the SBOM here")
    given = options.parse_args()
    bill = sbom(given.python)
    if given.sbom:
        given.sbom.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
    print(f"SBOM: CycloneDX {bill['specVersion']}, {len(bill['components'])} packages")
    refused = list(unfit_licences(bill))
    for line in refused:
        print(f"licence: {line}")
    print("licences: " + ("NOT all fit" if refused else f"all of {', '.join(sorted(licences_used(bill)))}"))
    vulnerable = audit(bill)
    return 1 if refused or vulnerable else 0


def sbom(python: Path) -> dict[str, Any]:
    """The packages of an environment as CycloneDX."""
    command = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible", "--of", "JSON"]
    done = subprocess.run([*command, str(python)], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def licences_of(component: dict[str, Any]) -> list[str]:
    """SPDX names of one package; a text that is none stays as it is."""
    found = []
    for entry in component.get("licenses", []):
        one = entry.get("license", {})
        text = entry.get("expression") or one.get("id") or one.get("name") or ""
        parts = re.split(r"\s+(?:AND|OR)\s+", text.replace("(", "").replace(")", ""))
        found += [NAMES.get(part.strip(), part.strip()) for part in parts]
    return found or FREE_TEXT.get(component["name"], [])


def licences_used(bill: dict[str, Any]) -> set[str]:
    """All licences of an SBOM."""
    return {name for component in _packages(bill) for name in licences_of(component)}


def unfit_licences(bill: dict[str, Any]) -> Iterator[str]:
    """Packages without a licence that fits, or with one that does not."""
    for component in _packages(bill):
        names = licences_of(component)
        unfit = sorted(set(names) - ALLOWED)
        if not names or unfit:
            yield f"{component['name']} {component.get('version', '')}: {', '.join(unfit) or 'states none'}"


def audit(bill: dict[str, Any]) -> bool:
    """Whether a package has a known vulnerability; False, with a word, where nobody can be asked."""
    pins = [f"{one['name']}=={one['version']}" for one in _packages(bill) if one["name"] != "handshift"]
    command = [sys.executable, "-m", "pip_audit", "--no-deps", "--disable-pip", "--timeout", "5"]
    command += ["--progress-spinner", "off", "-r", "/dev/stdin"]
    try:
        done = subprocess.run(
            command, input="\n".join(pins), capture_output=True, text=True, timeout=40, check=False
        )
    except subprocess.TimeoutExpired:
        print("audit: skipped, the service does not answer")
        return False
    if done.returncode == 0:
        print(f"audit: no known vulnerability in {len(pins)} packages")
        return False
    if "Vulnerability" not in done.stdout and UNREACHABLE.search(done.stderr):
        print("audit: skipped, the service cannot be reached")
        return False
    print(done.stdout + done.stderr)
    return True


def _packages(bill: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in bill["components"] if one["name"] not in TOOLS]


if __name__ == "__main__":
    sys.exit(main())
