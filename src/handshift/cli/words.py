"""Show the words found on a page."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from handshift.cli.shared_options import PageXmlOption
from handshift.core.terminal_text import one_line
from handshift.page.hand_labels import MAIN_HAND

if TYPE_CHECKING:
    from handshift.page.word import Page


def words(
    scan: Annotated[Path, typer.Argument(metavar="PAGE", help="A scan or PDF.")],
    page: Annotated[int, typer.Option(min=1, help="Which page of a PDF or multi-page TIFF.")] = 1,
    overlay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page with its words marked, as PNG.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the words as JSON.")
    ] = None,
    page_xml: PageXmlOption = None,
) -> None:
    """Show the words found on a page: what `examine` will compare.

    PAGE-XML or ALTO beside the scan is used as its segmentation.

    Example: handshift words letter.png --overlay letter-words.png
    """
    from handshift.cli.destination import check_file
    from handshift.cli.xml_output import xml_outputs
    from handshift.core.atomic import write_bytes, write_text
    from handshift.page.hand_labels import HandsOnPage

    if overlay is not None and overlay.suffix.lower() != ".png":
        raise typer.BadParameter("give a name that ends in .png", param_hint="--overlay")
    for destination in filter(None, (overlay, json_file)):
        check_file(destination)
    outputs = xml_outputs(page_xml, None)
    for output in outputs:
        output.check()
    found = _page(scan, page - 1)
    _show(found)
    hands = [MAIN_HAND] * len(found.words)
    if overlay is not None:
        write_bytes(overlay, _overlay_png(found, hands))
    if json_file is not None:
        write_text(json_file, _json(found))
    for output in outputs:
        output.add(HandsOnPage(found, hands, [1.0] * len(hands)))


def _page(path: Path, number: int) -> Page:
    from handshift.page.decode_worker import IsolatedFile, isolated_segmentation
    from handshift.pipeline.read_pages import segment_scan

    with IsolatedFile(path) as file:
        return segment_scan(file.scan(number), isolated_segmentation(path, number))


def _show(page: Page) -> None:
    from rich.table import Table
    from rich.text import Text

    from handshift.cli.verdict_output import console
    from handshift.core.counted import counted

    table = Table(box=None, padding=(0, 2))
    for name in ("line", "words", "top", "bottom"):
        table.add_column(name, justify="right")
    table.add_column("text" if any(word.text for word in page.words) else "")
    count = 0
    for line, members in groupby(page.words, key=lambda word: word.line):
        row = list(members)
        count += 1
        top, bottom = min(word.box.y for word in row), max(word.box.y + word.box.height for word in row)
        text = Text(
            one_line(" ".join(word.text or "·" for word in row)) if any(word.text for word in row) else ""
        )
        table.add_row(str(line + 1), str(len(row)), str(top), str(bottom), text)
    screen = console()
    screen.print(
        f"{one_line(page.source)} p.{page.number + 1}: {counted(len(page.words), 'word')} on "
        f"{counted(count, 'line')}, small letters {page.letter_size:.0f} pixels high",
        markup=False,
        soft_wrap=True,
    )
    if count:
        screen.print(table)


def _overlay_png(page: Page, hands: list[str]) -> bytes:
    from io import BytesIO

    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    from handshift.page.word_overlay import draw_words

    boxes, lines = [word.box for word in page.words], [word.line for word in page.words]
    mark = PngInfo()
    mark.add_text("Software", "handshift")  # by which the next run knows that it may replace it
    file = BytesIO()
    Image.fromarray(draw_words(page.image, boxes, hands, lines=lines)).save(file, "PNG", pnginfo=mark)
    return file.getvalue()


def _json(page: Page) -> str:
    import json

    from handshift.core.version import __version__
    from handshift.report.findings_record import readable

    words = [
        {"box": [int(side) for side in word.box], "line": int(word.line)}
        | ({"text": readable(word.text)} if word.text is not None else {})
        for word in page.words
    ]
    content = {
        "handshift": __version__,
        "path": readable(page.source),
        "sha256": page.sha256,
        "page": page.number + 1,
        "letter_size": round(float(page.letter_size), 2),
        "words": words,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"
