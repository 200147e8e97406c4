"""ALTO in its units and dialects is taken over as a segmentation."""

import time
from pathlib import Path

import pytest

from handshift.core.errors import PageError
from handshift.page.external_segmentation import ExternalWord
from handshift.page.sidecar import read_segmentation
from handshift.page.word import Box

TWO_BLOCKS = """
<TextBlock ID="b2" {0}><TextLine ID="l2" HPOS="0" VPOS="60" WIDTH="80" HEIGHT="20"/></TextBlock>
<ComposedBlock ID="c"><TextBlock ID="b1" {1}><TextLine ID="l1" HPOS="0" VPOS="0" WIDTH="90" HEIGHT="20">
  <String CONTENT="Dear" HPOS="10" VPOS="2" WIDTH="30" HEIGHT="16"/><SP/>
  <String CONTENT="Sir" HPOS="50" VPOS="2" WIDTH="20" HEIGHT="16"/>
</TextLine></TextBlock></ComposedBlock>"""


def alto(
    inside: str, unit: str = "pixel", page: str = 'WIDTH="100" HEIGHT="200"', order: str = "", v: int = 4
) -> str:
    return (
        f'<alto xmlns="http://www.loc.gov/standards/alto/ns-v{v}#"><Description><MeasurementUnit>{unit}'
        f"</MeasurementUnit></Description>{order}<Layout><Page ID='p' {page}>"
        f"<PrintSpace>{inside}</PrintSpace></Page></Layout></alto>"
    )


def read(tmp_path: Path, content: str, dpi: float | None = None) -> tuple[ExternalWord, ...]:
    (tmp_path / "a.xml").write_text(content)
    return read_segmentation(tmp_path / "a.xml").fitted_to(100, 200, dpi)


@pytest.mark.parametrize("version", [3, 4])
def test_words_and_lines_in_document_order(tmp_path: Path, version: int) -> None:
    words = read(tmp_path, alto(TWO_BLOCKS.format("", ""), v=version))
    assert [(word.line, word.text, word.whole_line) for word in words] == [
        (0, None, True),
        (1, "Dear", False),
        (1, "Sir", False),
    ]
    assert [word.box for word in words] == [Box(0, 60, 80, 20), Box(10, 2, 30, 16), Box(50, 2, 20, 16)]


ORDER = """<ReadingOrder><OrderedGroup ID="g">
  <ElementRef ID="e1" REF="{}"/><ElementRef ID="e2" REF="b2"/>
</OrderedGroup></ReadingOrder>"""


@pytest.mark.parametrize(
    "content",
    [
        alto(TWO_BLOCKS.format("", ""), order=ORDER.format("b1")),
        alto(TWO_BLOCKS.format("", ""), order=ORDER.format("l1")),
        alto(TWO_BLOCKS.format("", ""), order=ORDER.format("c")),
        alto(TWO_BLOCKS.format("", 'IDNEXT="b2"')),
        alto(TWO_BLOCKS.format('IDNEXT=""', 'IDNEXT="b2"')),
    ],
)
def test_a_stated_reading_order_is_respected(tmp_path: Path, content: str) -> None:
    assert [word.text for word in read(tmp_path, content)] == ["Dear", "Sir", None]


@pytest.mark.parametrize(("unit", "per_inch"), [("mm10", 254), ("inch1200", 1200)])
def test_millimetres_and_inches_become_pixels(tmp_path: Path, unit: str, per_inch: int) -> None:
    size = {"HPOS": 0.1, "VPOS": 0.2, "WIDTH": 0.5, "HEIGHT": 0.3}  # inches
    sides = " ".join(f'{name}="{value * per_inch}"' for name, value in size.items())
    by_page = alto(
        f"<TextBlock><TextLine {sides}/></TextBlock>", unit, f'WIDTH="{per_inch}" HEIGHT="{2 * per_inch}"'
    )
    by_scan = alto(f"<TextBlock><TextLine {sides}/></TextBlock>", unit, "")
    assert read(tmp_path, by_page)[0].box == Box(10, 20, 50, 30)
    assert read(tmp_path, by_scan, dpi=100)[0].box == Box(10, 20, 50, 30)
    with pytest.raises(PageError, match="states the resolution"):
        read(tmp_path, by_scan)


@pytest.mark.parametrize("content", ["My dear Sir", ""])
def test_a_line_kept_in_one_string_is_a_line_to_split(tmp_path: Path, content: str) -> None:
    string = f'<String CONTENT="{content}" HPOS="0" VPOS="0" WIDTH="90" HEIGHT="20"/>'
    lines = f'<TextBlock><TextLine HPOS="0" VPOS="0" WIDTH="90" HEIGHT="20">{string}</TextLine></TextBlock>'
    (line,) = read(tmp_path, alto(lines))
    assert (line.whole_line, line.text) == (True, content or None)


@pytest.mark.parametrize("points", ["10,20 49,20 49,39", "10 20 49 20 49 39"])
def test_a_polygon_serves_where_there_is_no_box(tmp_path: Path, points: str) -> None:
    shape = f'<Shape><Polygon POINTS="{points}"/></Shape>'
    (line,) = read(tmp_path, alto(f"<TextBlock><TextLine>{shape}</TextLine></TextBlock>"))
    assert line.box == Box(10, 20, 39, 19)


def test_each_page_of_a_volume_has_its_own(tmp_path: Path) -> None:
    volume = alto("").replace("<Layout>", "<Layout><Page/>")
    (tmp_path / "a.xml").write_text(volume)
    assert read_segmentation(tmp_path / "a.xml", number=1).pieces == ()
    with pytest.raises(PageError, match="with a page 3"):
        read_segmentation(tmp_path / "a.xml", number=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("<alto/>", "without a Page"),
        (alto("", unit="furlong"), "MeasurementUnit 'furlong'"),
        (alto('<TextBlock><TextLine ID="x" HPOS="nan"/></TextBlock>'), "TextLine x has no usable HPOS"),
        (alto("<ComposedBlock>" * 5000 + "</ComposedBlock>" * 5000), "damaged"),
    ],
)
def test_bad_alto_is_one_clear_error(tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(PageError, match=message):
        read(tmp_path, content)


def test_a_long_chain_of_blocks_is_ordered_in_linear_time(tmp_path):
    sides = 'HPOS="0" WIDTH="9" HEIGHT="9"'
    blocks = "".join(
        f'<TextBlock ID="b{n}" IDNEXT="b{n - 1}"><TextLine {sides} VPOS="{n % 190}"/></TextBlock>'
        for n in range(20_000)
    )
    (tmp_path / "a.xml").write_text(alto(blocks))
    started = time.process_time()
    given = read_segmentation(tmp_path / "a.xml")
    assert time.process_time() - started < 3
    assert len(given.pieces) == 20_000
    assert given.pieces[0].extent.top == 19_999 % 190  # the chain begins where no other block leads
