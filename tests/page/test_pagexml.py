"""A segmentation made elsewhere is taken over, and what we write can be read back."""

import time
from pathlib import Path

import numpy as np
import pytest

from handshift.core.errors import PageError
from handshift.page.hand_labels import HandsOnPage
from handshift.page.page_xml_writer import write_page_xml
from handshift.page.safe_xml import parse_xml
from handshift.page.sidecar import find_segmentation, read_segmentation
from handshift.page.word import Box, Page, Word

SPACE = "http://schema.primaresearch.org/PAGE/gts/pagecontent"
WORDS = """
<ReadingOrder><OrderedGroup id="o">
  <RegionRefIndexed index="1" regionRef="late"/><RegionRefIndexed index="0" regionRef="early"/>
</OrderedGroup></ReadingOrder>
<TextRegion id="late"><Coords points="0,50 99,50 99,99"/>
  <TextLine id="l2"><Coords points="0,50 99,50 99,69 0,69"/>
    <TextEquiv><Unicode>Yours truly</Unicode></TextEquiv></TextLine>
</TextRegion>
<TextRegion id="unnamed"><Coords points="0,80 99,80 99,99"/>
  <TextLine id="l3"><Coords points="5,80 24,80 24,89 5,89"/></TextLine>
</TextRegion>
<TextRegion id="early"><Coords points="0,0 99,0 99,40"/>
  <TextLine id="l1"><Coords points="0,0 99,0 99,19 0,19"/>
    <Word id="w1"><Coords points="10,5 29,0 29,14 10,19"/>
      <TextEquiv index="1"><Unicode>Deer</Unicode></TextEquiv>
      <TextEquiv index="0"><Unicode>Dear</Unicode></TextEquiv></Word>
    <Word id="w2"><Coords points="40,5 59,14"/></Word>
  </TextLine>
</TextRegion>"""


def page_xml(inside: str, version: str = "2019-07-15", size: tuple[int, int] = (100, 100)) -> str:
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><PcGts xmlns="{SPACE}/{version}"><Metadata/>'
        f'<Page imageFilename="a.png" imageWidth="{size[0]}" imageHeight="{size[1]}">{inside}</Page></PcGts>'
    )


def line(points: str, attributes: str = "") -> str:
    return f'<TextLine {attributes}><Coords points="{points}"/></TextLine>'


def written(tmp_path: Path, content: str, name: str = "a.xml") -> Path:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / name


@pytest.mark.parametrize("version", ["2013-07-15", "2019-07-15"])
def test_words_and_lines_come_in_reading_order(tmp_path: Path, version: str) -> None:
    words = read_segmentation(written(tmp_path, page_xml(WORDS, version))).fitted_to(100, 100)
    assert [(word.line, word.text, word.whole_line) for word in words] == [
        (0, "Dear", False),
        (0, None, False),
        (1, "Yours truly", True),
        (2, None, True),
    ]
    assert words[0].box == Box(10, 0, 20, 20)
    assert words[1].box == Box(40, 5, 20, 10)


def test_lines_follow_the_index_transkribus_gives_them(tmp_path: Path) -> None:
    lines = line("0,50 9,59", 'custom="readingOrder {index:1;}"') + line(
        "0,0 9,9", 'custom="readingOrder {index:0;}"'
    )
    words = read_segmentation(written(tmp_path, page_xml(f"<TextRegion>{lines}</TextRegion>"))).fitted_to(
        100, 100
    )
    assert [word.box.y for word in words] == [0, 50]


def test_corners_of_the_older_kind(tmp_path: Path) -> None:
    corners = '<Coords><Point x="3" y="4"/><Point x="12" y="9"/></Coords>'
    old = f"<TextRegion><TextLine>{corners}</TextLine></TextRegion>"
    (word,) = read_segmentation(written(tmp_path, page_xml(old, "2010-03-19"))).fitted_to(100, 100)
    assert word.box == Box(3, 4, 10, 6)


def test_boxes_are_clipped_to_the_scan_and_scaled_with_it(tmp_path: Path) -> None:
    given = read_segmentation(written(tmp_path, page_xml(f"<TextRegion>{line('-5,90 49,120')}</TextRegion>")))
    assert given.fitted_to(100, 100)[0].box == Box(0, 90, 50, 10)
    assert given.fitted_to(200, 200)[0].box == Box(0, 180, 100, 20)


@pytest.mark.parametrize(
    ("size", "points", "message"),
    [
        ((200, 200), "10,150 40,180", "outside of the 100×100 scan"),
        ((100, 200), "10,10 40,40", "describes a page of 100×200, but the scan has 100×100"),
    ],
)
def test_the_file_of_another_scan_is_refused(
    tmp_path: Path, size: tuple[int, int], points: str, message: str
) -> None:
    content = page_xml(f"<TextRegion>{line(points)}</TextRegion>", size=size)
    if size == (200, 200):
        content = content.replace('imageWidth="200" imageHeight="200"', "")
    with pytest.raises(PageError, match=message):
        read_segmentation(written(tmp_path, content)).fitted_to(100, 100)


BOMB = '<!DOCTYPE b [<!ENTITY a "ha"><!ENTITY c "&a;&a;&a;&a;">]><PcGts>&c;</PcGts>'
FILE = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><PcGts>&a;</PcGts>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (BOMB, "declares entities"),
        (FILE, "declares entities"),
        ("<PcGts><Page>", "not well-formed"),
        ("", "not well-formed"),
        ("<mets/>", "neither PAGE-XML nor ALTO"),
        ("<PcGts/>", "without a Page"),
        (page_xml('<TextRegion><TextLine id="x"/></TextRegion>'), "TextLine x has no usable Coords"),
        (page_xml(f"<TextRegion>{line('1,')}</TextRegion>"), "no usable Coords"),
        (page_xml("<TextRegion>" + line("1,1 2,2", 'index="two"') + "</TextRegion>"), "damaged"),
    ],
)
def test_bad_xml_is_one_clear_error(tmp_path: Path, content: str, message: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(PageError, match=message) as caught:
        read_segmentation(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("place", ["scans/a.xml", "scans/page/a.xml", "scans/alto/a.xml", "page/a.xml"])
def test_the_file_is_found_where_archives_keep_it(tmp_path: Path, place: str) -> None:
    (tmp_path / "scans").mkdir()
    written(tmp_path, page_xml(WORDS), place)
    given = find_segmentation(tmp_path / "scans" / "a.png")
    assert given is not None
    assert given.source == tmp_path / place
    assert find_segmentation(tmp_path / "scans" / "b.png") is None
    assert find_segmentation(tmp_path / "scans" / "a.png", number=1) is None


def test_xml_of_another_kind_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path, "<TEI/>")
    written(tmp_path, page_xml(WORDS), "page/a.xml")
    given = find_segmentation(tmp_path / "a.png")
    assert given is not None
    assert given.source.parent.name == "page"


def two_hands(texts: list[str | None]) -> Page:
    ink = np.zeros((1, 1), np.uint8)
    boxes = [(Box(0, 0, 30, 20), 0), (Box(40, 2, 60, 20), 0), (Box(5, 40, 95, 40), 1)]
    words = tuple(Word(box, row, ink, text) for (box, row), text in zip(boxes, texts, strict=True))
    return Page(np.full((80, 100, 3), 255, np.uint8), words, Path("a letter.png"), "ab" * 32)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    page = two_hands(["Tom & <Jerry>", "bell\x07", None])
    write_page_xml(HandsOnPage(page, ["A", "B", "A"], [0.98, 0.93, 0.6]), tmp_path / "out.xml")
    words = read_segmentation(tmp_path / "out.xml").fitted_to(100, 80)
    assert [(word.box, word.line) for word in words] == [(word.box, word.line) for word in page.words]
    assert [word.text for word in words] == ["Tom & <Jerry>", "bell�", None]


def test_hands_and_certainties_are_written_with_each_word(tmp_path: Path) -> None:
    write_page_xml(
        HandsOnPage(two_hands([None] * 3), ["A", "B", "A"], [0.98, 0.93, 0.6]), tmp_path / "out.xml"
    )
    root = parse_xml(tmp_path / "out.xml")
    customs = [word.get("custom", "") for word in root.iter(f"{{{SPACE}/2019-07-15}}Word")]
    assert "hand {name:B; certainty:0.9300;}" in customs[1]


def test_a_page_without_words_has_no_empty_region(tmp_path: Path) -> None:
    blank = Page(np.full((80, 100, 3), 255, np.uint8), (), Path("a.png"), "ab" * 32)
    write_page_xml(HandsOnPage(blank, [], []), tmp_path / "out.xml")
    assert read_segmentation(tmp_path / "out.xml").pieces == ()
    assert "Region" not in (tmp_path / "out.xml").read_text()


def test_hands_that_do_not_pair_up_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="3 words, 1 hands, 3 certainties"):
        HandsOnPage(two_hands([None] * 3), ["A"], [0.1, 0.2, 0.3])


def test_an_order_of_unclosed_braces_is_read_in_linear_time(tmp_path):
    custom = "readingOrder {" * 18_000  # 250 KB; a search from every brace to the end would take seconds
    region = f'<TextRegion custom="{custom}">{line("0,0 9,9")}</TextRegion>'
    path = written(tmp_path, page_xml(region))
    started = time.process_time()
    assert len(read_segmentation(path).pieces) == 1
    assert time.process_time() - started < 1
