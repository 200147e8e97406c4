"""Small inputs for the benchmark of trust, drawn by the project's own scribes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from PIL import Image

from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page

TESTS = Path(__file__).resolve().parent.parent / "tests"
for _folder in ("embedding", "healthmap"):
    sys.path.insert(0, str(TESTS / _folder))

TEXT = "the parcel you sent on Friday came this morning with the post van and all was whole"
SHEET = Layout(width_mm=120.0, height_mm=90.0)


def letter(scribe: int, seed: int, text: str = TEXT, layout: Layout = SHEET) -> Image.Image:
    """A short letter at 200 dpi."""
    return Image.fromarray(draw_page([Passage(Scribe(scribe), text)], seed=seed, layout=layout).image)


def small_inputs(folder: Path) -> Path:
    """Letters, a corpus, maps with a model, and a study: seconds of work for every command."""
    if (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("letters", "whole"):
        (folder / name).mkdir(parents=True)
    for number in range(8):
        letter(1 + number % 2, number).save(folder / "whole" / f"{number}.png", dpi=(200, 200))
    pages = [letter(3, 20), Image.new("L", (900, 700), 255), letter(4, 21)]
    for number in range(4):
        shutil.copy(folder / "whole" / f"{number}.png", folder / "letters")
    pages[0].convert("L").save(
        folder / "letters" / "book.tiff", save_all=True, append_images=[p.convert("L") for p in pages[1:]]
    )
    (folder / "letters" / "torn.png").write_bytes(b"\x89PNG\r\n\x1a\n torn")
    _handshift("enroll", "Ann", folder / "whole", "--gallery", folder / "family")
    _draw_maps(folder)
    from drawn_shapes import draw_identities

    draw_identities(folder / "shapes", identities=16, each=6)
    study = {
        "name": "killed",
        "task": "tiny_study:TRAINED",
        "base": {"steps": 12, "pause": 0.1},
        "grid": {"lr": [0.01, 0.02]},
        "seeds": [1, 2],
        "metrics": ["error"],
        "baseline": "lr=0.01",
    }
    (folder / "killed.yaml").write_text(yaml.safe_dump(study))
    (folder / "complete").touch()
    return folder


def _draw_maps(folder: Path) -> None:
    from folders import write_domains, write_maps

    write_domains(folder / "gearbox", train=24, test=4)
    write_maps(folder / "maps" / "A", 40, seed=9)
    (folder / "maps" / "A" / "torn.tif").write_bytes(b"II*\0 torn")
    options = ("--detector", "pca", "--false-alarms", "0.3")
    _handshift("maps", "train", folder / "gearbox", "--out", folder / "model", *options)


def _handshift(*arguments: object) -> None:
    code = "from handshift.cli import main\nmain()"
    subprocess.run([sys.executable, "-c", code, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def hostile_files(folder: Path, count: int) -> list[Path]:
    """Files that are cut, empty, huge when decoded, of another kind, or mutated; one after the other."""
    random = np.random.default_rng(18)
    folder.mkdir(parents=True, exist_ok=True)
    valid = folder / "valid.png"
    letter(5, 30).save(valid)
    content = valid.read_bytes()
    valid.unlink()
    made = []
    for number in range(count):
        path = folder / f"hostile-{number:03d}.{('png', 'jpg', 'pdf', 'tif')[number % 4]}"
        match number % 5:
            case 0:
                path.write_bytes(content[: int(random.integers(1, len(content)))])
            case 1:
                path.write_bytes(b"")
            case 2:
                path.write_bytes(b"%PDF-1.4\n" + random.bytes(400))
            case 3:
                damaged = bytearray(content)
                for place in random.integers(0, len(content), 40):
                    damaged[place] = int(random.integers(256))
                path.write_bytes(damaged)
            case _:
                path.write_text("no picture\n" * int(random.integers(1, 50)))
        made.append(path)
    return made
