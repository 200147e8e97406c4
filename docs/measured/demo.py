"""The demo page as handshift marks and reports it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

import handshift
from handshift.demo import TWO_HANDS
from handshift.page.word_overlay import draw_words


def demo_output() -> str:
    """Return what the terminal shows of the two-hand demo page."""
    with TemporaryDirectory() as desk:
        shutil.copy(TWO_HANDS, Path(desk, "letter.png"))
        command = [str(Path(sys.executable).with_name("handshift")), "examine", "letter.png", "--no-report"]
        run = subprocess.run(command, cwd=desk, capture_output=True, text=True, check=True)
    lines = [line.rstrip() for line in run.stdout.strip().splitlines()]
    return "\n".join(["```text", "$ handshift examine letter.png", *lines, "```"])


def draw_demo(path: Path) -> None:
    """Draw the two-hand demo page as handshift marks it, in 32 colours."""
    verdict = handshift.examine(TWO_HANDS)
    boxes = [word.box for word in verdict.page.words]
    hands = [finding.hand for finding in verdict.words]
    strength = [0.0 if finding.hand == "A" else finding.posterior for finding in verdict.words]
    drawn = Image.fromarray(draw_words(verdict.page.image, boxes, hands, strength))
    path.parent.mkdir(exist_ok=True)
    drawn.quantize(32, dither=Image.Dither.NONE).save(path, optimize=True)
