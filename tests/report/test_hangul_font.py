"""Korean reports show Hangul where the system has no Korean font: they carry one."""

from __future__ import annotations

import re
from pathlib import Path

from fontTools.ttLib import TTFont

import handshift

PACKAGE = Path(handshift.__file__).parent
FONT = PACKAGE / "report/fonts/hangul.woff2"


def test_the_font_has_every_syllable_of_our_own_texts():
    known = set(TTFont(FONT).getBestCmap())
    files = [path for suffix in ("json", "py", "html") for path in PACKAGE.rglob(f"*.{suffix}")]
    used = {letter for path in files for letter in re.findall("[가-힣]", path.read_text("utf-8"))}
    assert len(used) > 300
    assert not {letter for letter in used if ord(letter) not in known}


def test_the_font_has_not_the_name_that_its_licence_reserves():
    names = {record.toUnicode() for record in TTFont(FONT)["name"].names if record.nameID in (1, 4, 6)}
    assert names and not any("anum" in name for name in names)
    assert "SIL OPEN FONT LICENSE" in FONT.with_name("OFL.txt").read_text("utf-8")
