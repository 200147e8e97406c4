"""The databases that are known, and which columns of their manifests say what."""

from __future__ import annotations

from dataclasses import dataclass

from handshift.corpus.databases.record import Holds, Script


@dataclass(frozen=True, slots=True)
class Folder:
    """One folder with a `manifest.csv`."""

    name: str
    holds: Holds
    sheet: str | None = None
    """Column whose value, with the writer, names the sheet; None where every file is a sheet of its own."""
    session: str | None = None
    """Column of the session; None where all was written in one sitting or nothing is known."""
    prompt: str = "prompt"
    pen: str | None = None
    dpi: float | None = None
    """Of all its pictures; None where they differ, were fitted to a frame or are drawn."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A database: its folders share one set of writer names."""

    name: str
    script: Script
    family: str
    licence: str
    folders: tuple[Folder, ...]
    trainable: bool = True
    """False for what is kept for reports alone."""


_IAM = "IAM terms: non-commercial research, cite Marti & Bunke 2002"

LAYOUTS = (
    Layout(
        "csafe",
        Script.LATIN,
        "csafe",
        "public research database, redistribution not verified",
        (Folder("csafe", Holds.PAGE, session="session", dpi=150),),
    ),
    Layout(
        "iam",
        Script.LATIN,
        "iam",
        _IAM,
        (
            Folder("iam_forms", Holds.PAGE, sheet="prompt", dpi=150),
            Folder("iam_lines", Holds.LINE, sheet="form"),
        ),
    ),
    Layout(
        "iam-strokes",
        Script.LATIN,
        "iam",  # persons are not cross-referenced with the forms
        "IAM-OnDB terms: non-commercial research, cite Liwicki & Bunke 2005",
        (Folder("iam_ondb_strokes", Holds.STROKES, sheet="prompt"),),
    ),
    Layout("copiste", Script.LATIN, "copiste", "CC BY 4.0", (Folder("copiste", Holds.PAGE, dpi=150),)),
    Layout(
        "cedar",
        Script.LATIN,
        "cedar",
        "research use, cite CEDAR (Srihari et al.)",
        (Folder("cedar_and", Holds.WORD, sheet="session", session="session"),),
    ),
    Layout("dhsd", Script.LATIN, "dhsd", "CC BY 4.0", (Folder("dhsd", Holds.WORD, prompt="text"),)),
    Layout(
        "khatt",
        Script.ARABIC,
        "arabic",
        "research use, cite Mahmoud et al. 2014",
        (Folder("khatt", Holds.LINE, sheet="session", dpi=150),),
    ),
    Layout("ahawp", Script.ARABIC, "arabic", "CC BY 4.0 upstream", (Folder("ahawp", Holds.WORD),)),
    Layout(
        "fonts-korean",
        Script.HANGUL,
        "fonts",
        "SIL OFL 1.1",
        (Folder("fonts_korean", Holds.FONT, prompt=""),),
    ),
    Layout(
        "fonts-latin",  # made by studies/latin_fonts.py
        Script.LATIN,
        "fonts",
        "SIL OFL 1.1 or Apache 2.0",
        (Folder("fonts_latin", Holds.FONT, prompt=""),),
    ),
    Layout(
        "pens",
        Script.LATIN,
        "pens",
        "CC BY 4.0",
        (Folder("pens", Holds.PAGE, pen="tool", dpi=150),),
        trainable=False,
    ),
)
"""`wills` is not here: its pages hold several hands."""


def is_drawn(name: str) -> bool:
    """Whether the pages of a database are drawn, of pen strokes or with fonts; False of one not known."""
    drawn = (Holds.STROKES, Holds.FONT)
    return any(layout.name == name and layout.folders[0].holds in drawn for layout in LAYOUTS)


def layout_named(name: str) -> Layout:
    """The layout of a database.

    Raises:
        KeyError: There is none of this name.
    """
    return {layout.name: layout for layout in LAYOUTS}[name]
