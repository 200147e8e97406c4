"""Mutated files end as a result or as one HandshiftError; no reader raises anything else.

Seeds are fixed. HANDSHIFT_FUZZ multiplies the number of cases for a long run.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from handshift.core.errors import HandshiftError
from handshift.core.loaders import map_npy, read_json_object, read_npy, read_npz
from handshift.core.model_card import ModelCard
from handshift.corpus.manifest import read_manifest
from handshift.corpus.split import WriterSplit
from handshift.page.scan import scan_pages
from handshift.page.sidecar import read_segmentation
from handshift.report.load_findings import load_findings

CASES = 150 * int(os.environ.get("HANDSHIFT_FUZZ", "1"))
INTERESTING = (b"\0", b"\xff" * 4, b"-1", b"9" * 30, b"\xed\xa0\x80", b"{", b"]", b"<", b"&x;", b"NaN")
PAGE_XML = """<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageWidth="90" imageHeight="60">
<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="r"/></OrderedGroup></ReadingOrder>
<TextRegion id="r"><TextLine custom="readingOrder {index:1;}"><Coords points="1,2 30,40"/>
<Word><Coords points="1,2 9,9"/><TextEquiv index="0"><Unicode>a</Unicode></TextEquiv></Word></TextLine>
</TextRegion></Page></PcGts>"""
ALTO = """<alto><Description><MeasurementUnit>mm10</MeasurementUnit></Description>
<Layout><Page WIDTH="90" HEIGHT="60"><PrintSpace><TextBlock ID="a" IDNEXT="b">
<TextLine HPOS="1" VPOS="2" WIDTH="30" HEIGHT="9">
<String CONTENT="x" HPOS="1" VPOS="2" WIDTH="3" HEIGHT="9"/></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>"""


def saved(form: str, **options: object) -> bytes:
    file, pixels = io.BytesIO(), np.random.default_rng(0).integers(0, 255, (24, 20, 3), np.uint8)
    Image.fromarray(pixels).save(file, form, **options)
    return file.getvalue()


def arrays(*, archive: bool) -> bytes:
    file = io.BytesIO()
    if archive:
        np.savez_compressed(file, mean=np.arange(9.0), names=np.array(["a", "bc"]))
    else:
        np.save(file, np.arange(12.0).reshape(3, 4))
    return file.getvalue()


CARD = json.dumps(dict.fromkeys(("id", "summary", "trained_on", "calibrated_on", "tested_on", "limits"), "x"))
FINDINGS = json.dumps(
    {"handshift": "0.1.0", "model": "words-3", "run": {}, "pages": [{"path": "a", "page": 1}]}
)
SPLIT = json.dumps({"corpus": "c", "seed": 1, "parts": {"train": ["a", "b"], "test": ["c"]}})

READERS: dict[str, tuple[str, bytes, Callable[[Path], object]]] = {
    "png": (".png", saved("PNG"), lambda path: list(scan_pages(path))),
    "jpeg": (".jpg", saved("JPEG"), lambda path: list(scan_pages(path))),
    "tiff": (".tif", saved("TIFF", compression="tiff_lzw"), lambda path: list(scan_pages(path))),
    "webp": (".webp", saved("WEBP"), lambda path: list(scan_pages(path))),
    "bmp": (".bmp", saved("BMP"), lambda path: list(scan_pages(path))),
    "pdf": (".pdf", saved("PDF"), lambda path: list(scan_pages(path))),
    "page-xml": (".xml", PAGE_XML.encode(), lambda path: read_segmentation(path).fitted_to(90, 60, 200)),
    "alto": (".xml", ALTO.encode(), lambda path: read_segmentation(path).fitted_to(90, 60, 200)),
    "npy": (".npy", arrays(archive=False), lambda path: (read_npy(path), map_npy(path))),
    "npz": (".npz", arrays(archive=True), read_npz),
    "json": (".json", CARD.encode(), read_json_object),
    "card": (".json", CARD.encode(), ModelCard.load),
    "findings": (".json", FINDINGS.encode(), load_findings),
    "split": (".json", SPLIT.encode(), lambda path: WriterSplit.load(path, known=["a", "b", "c"])),
    "manifest": (".csv", b"path,writer,session\nfile,a,1\nfile,b,x\n", read_manifest),
}


def mutated(content: bytes, random: np.random.Generator) -> bytes:
    """Flip, cut, repeat, insert and swap pieces, a few times."""
    changed = bytearray(content)
    for _ in range(random.integers(1, 6)):
        at = int(random.integers(0, len(changed) + 1))
        length = int(random.integers(1, 24))
        match int(random.integers(5)):
            case 0:
                changed[at : at + 1] = bytes([int(random.integers(256))])
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length] * int(random.integers(1, 5))
            case 3:
                changed[at:at] = INTERESTING[int(random.integers(len(INTERESTING)))]
            case _:
                changed = changed[: max(1, at)]
    return bytes(changed)


@pytest.mark.parametrize("name", READERS)
def test_a_mutated_file_is_read_or_refused(name: str, tmp_path: Path):
    suffix, content, read = READERS[name]
    (tmp_path / "file").touch()
    path = tmp_path / f"case{suffix}"
    random = np.random.default_rng(abs(hash_of(name)))
    refused = 0
    for case in range(CASES):
        path.write_bytes(mutated(content, random))
        try:
            read(path)
        except HandshiftError as error:
            refused += 1
            assert str(error), f"case {case} of {name} is refused without a reason"
    assert refused or name in ("png", "jpeg", "tiff", "webp", "bmp", "pdf")  # those yield their errors


def hash_of(name: str) -> int:
    """A seed for each reader that does not change from run to run."""
    return int.from_bytes(name.encode(), "little") % (1 << 32)
