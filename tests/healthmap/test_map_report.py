"""The report on scored maps."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import cv2
import numpy as np
import pytest

from handshift.calibration.verbal_scale import Language
from handshift.healthmap import report
from handshift.healthmap.report import ReportedRun, ScoredMap, maps_html
from handshift.healthmap.report.map_cards import cards
from handshift.healthmap.thresholds import Thresholds

RNG = np.random.default_rng(0)


def scored(path: str, score: float, row: int | None = None, warning: str | None = None) -> ScoredMap:
    anomaly = RNG.random((31, 95)).astype(np.float32)
    if row is not None:
        anomaly[row, 20:50] += 4
    values = (0.2 + 0.02 * anomaly).astype(np.float32)
    return ScoredMap(Path(path), "C", values, anomaly, score, 0.5, warning)


def maps() -> list[ScoredMap]:
    good = [scored(f"C/test/good/{n}.tif", 0.1 + 0.02 * n) for n in range(5)]
    return good + [scored(f"C/test/fault/{n}.tif", 0.6 + 0.1 * n, row=7) for n in range(5)]


def run(**how: object) -> ReportedRun:
    return ReportedRun("a model", datetime(2026, 1, 2, 3, 4, tzinfo=UTC), **how)  # type: ignore[arg-type]


def test_the_report_names_the_tooth_of_flagged_maps_and_the_figures_of_the_domain() -> None:
    html = unescape(maps_html(maps(), run()))
    assert "5 of 10 maps flagged" in html
    assert html.count("Row 8 stands out") == 5
    assert "1.000" in html
    assert "<polyline" in html
    assert html.index("fault/4.tif") < html.index("good/0.tif")


def test_the_report_says_where_thresholds_come_from() -> None:
    html = unescape(maps_html(maps(), run()))
    assert "set in training, on normal maps of the training data that the detector was not fitted to" in html


@pytest.mark.parametrize(
    ("language", "sentence"), [("en", "rests on 10 normal maps"), ("ko", "정상 맵 10개")]
)
def test_the_report_says_which_thresholds_rest_on_too_few_maps(language: Language, sentence: str) -> None:
    weak = Thresholds.fit(np.arange(10), ["C"] * 10, target=0.01).weak()
    html = unescape(maps_html(maps(), run(language=Language(language), weak=tuple(weak))))
    assert sentence in html
    assert "99" in html
    assert sentence not in unescape(maps_html(maps(), run(language=Language(language))))


def test_the_report_asks_the_network_for_nothing() -> None:
    html = maps_html(maps(), run())
    assert "default-src 'none'" in html
    assert all(address.startswith("data:") for address in re.findall(r'src="([^"]*)"', html))
    assert "<script" not in html
    assert len(html) < 600_000


def test_without_known_truth_there_are_no_curves() -> None:
    html = maps_html([scored("a/1.tif", 0.1), scored("a/2.tif", 0.9)], run())
    assert "<h2>Faulty against normal maps</h2>" not in html
    assert "truth:" not in html


def test_names_are_escaped_and_problems_are_shown() -> None:
    odd = scored("<b>.tif", 0.9, warning="another unit?")
    html = maps_html([odd], run(failed=(("broken.tif", "3 pixels are NaN"),)))
    assert "<b>.tif" not in html
    assert "another unit?" in html
    assert "3 pixels are NaN" in html


def test_an_empty_run_is_a_report_too() -> None:
    assert "0 of 0" in maps_html([], run(failed=(("x.tif", "no such file"),)))


def test_photographs_are_shown_in_colour() -> None:
    picture = np.full((500, 600, 3), 0.5, np.float32)
    photograph = ScoredMap(Path("1.png"), "tile", picture, picture[:, :, 0], 1.0, 0.5, photograph=True)
    assert photograph.downsampled().values.shape == (250, 300, 3)
    html = maps_html([photograph], run())
    assert 'class="profile"' not in html, "a picture has no teeth"
    assert "data:image/png" in html
    assert "stands out (" not in html  # its rows are no teeth


def test_a_grey_photograph_stays_grey_and_a_map_has_false_colours() -> None:
    values = np.linspace(0, 1, 40 * 60, dtype=np.float32).reshape(40, 60)
    for photograph in (True, False):
        [card] = cards([ScoredMap(Path("1"), "tile", values, values, 1.0, 0.5, photograph=photograph)])
        content = np.frombuffer(b64decode(card.picture.partition(",")[2]), np.uint8)
        picture = cv2.imdecode(content, cv2.IMREAD_COLOR)
        assert picture is not None
        assert bool((picture == picture[:, :, :1]).all()) is photograph


@pytest.mark.parametrize("language", Language)
def test_every_language_says_everything(language: Language) -> None:
    folder = Path(report.__file__).with_name("texts")
    texts = {name: json.loads((folder / f"{name}.json").read_text("utf-8")) for name in Language}
    assert texts[language].keys() == texts[Language.en].keys()
    for key, text in texts[language].items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", texts[Language.en][key])), key
    assert f'<html lang="{language}">' in maps_html(maps(), run(language=language))
