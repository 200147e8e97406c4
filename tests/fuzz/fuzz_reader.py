"""Coverage-guided fuzzing of one reader with atheris, for as long as one likes; not a test.

    python tests/fuzz/fuzz_reader.py findings -max_total_time=600

Needs `pip install atheris`. A crash is written as crash-…; keep it as tests/fuzz/corpus/READER/NAME, and the
suite tries it from then on.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["handshift"]):
    from reader_targets import TARGETS

    from handshift.core.errors import HandshiftError


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: fuzz_reader.py READER [libFuzzer options]; readers: {', '.join(TARGETS)}")
    target = TARGETS[sys.argv[1]]
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="handshift-fuzz-"))
    path = target.prepare(folder)
    seeds = folder / "seeds"
    seeds.mkdir()
    for number, content in enumerate(target.corpus):
        (seeds / str(number)).write_bytes(content)

    def one(content: bytes) -> None:
        path.write_bytes(content)
        try:
            target.read(path)
        except HandshiftError:
            return

    atheris.Setup([sys.argv[0], str(seeds), *sys.argv[2:]], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
