"""Cuts the font that Korean HTML reports carry: NanumGothic's 2,350 syllables of KS X 1001, renamed.

The licence of NanumGothic (SIL OFL 1.1) reserves its name to the whole font, so the cut has another one.

Example: python docs/hangul_font.py
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

NAME = "Handshift Hangul"
OUT = Path(__file__).parents[1] / "src/handshift/report/fonts/hangul.woff2"
SYLLABLES = "".join(
    bytes([row, cell]).decode("euc-kr") for row in range(0xB0, 0xC9) for cell in range(0xA1, 0xFF)
)
LETTERS = "".join(map(chr, range(0x3131, 0x318F)))


def main() -> None:
    """Cut, rename and write the font."""
    with files("koreanize_matplotlib").joinpath("fonts/NanumGothic.ttf").open("rb") as source:
        font = TTFont(source)
        options = subset.Options()
        options.hinting = False
        options.layout_features = []
        options.drop_tables += ["TSI0", "TSI1", "TSI2", "TSI3", "TSI5"]
        cut = subset.Subsetter(options)
        cut.populate(text=SYLLABLES + LETTERS)
        cut.subset(font)
        for record in font["name"].names:
            if record.nameID in (1, 3, 4, 6, 16):
                record.string = NAME.replace(" ", "") if record.nameID == 6 else NAME
        font.flavor = "woff2"
        OUT.parent.mkdir(exist_ok=True)
        font.save(OUT)
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
