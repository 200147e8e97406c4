"""IIIF, METS, packed files and URLs become lists of files; fetching is polite and can be resumed."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from iiif_server import Server, manifest_2, manifest_3, serving, write

from handshift.core.errors import PageError
from handshift.page.archive import packed_files
from handshift.page.archive.canvas_list import CANVASES, canvas_of
from handshift.page.archive.iiif_manifest import Canvas, read_manifest
from handshift.page.archive.iiif_source import iiif_images
from handshift.page.archive.origin import known_as, origin_of
from handshift.page.archive.polite_fetch import PoliteFetcher
from handshift.page.find_scans import find_scans
from handshift.page.scan import read_scans
from handshift.page.sidecar import find_segmentation

NAMES = ["a1.png", "a2.png", "a3.png"]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HANDSHIFT_FETCH_RATE", "1000")
    monkeypatch.delenv("HANDSHIFT_OFFLINE", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def images(tmp_path: Path) -> Path:
    folder = tmp_path / "served" / "images"
    folder.mkdir(parents=True)
    for shade, name in enumerate(NAMES):
        cv2.imwrite(str(folder / name), np.full((60, 40, 3), 200 + shade, np.uint8))
    return folder


@pytest.fixture
def server(images: Path) -> Iterator[Server]:
    with serving(images.parent) as running:
        yield running


@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_give_the_same_canvases(version: int):
    made = {2: manifest_2, 3: manifest_3}[version]("http://x", NAMES, (400, 600))
    read = read_manifest(made)
    assert read.label == "Letters"
    assert [canvas.label for canvas in read.canvases] == ["f. 1", "f. 2", "f. 3"]
    assert [canvas.address for canvas in read.canvases] == [f"http://x/images/{name}" for name in NAMES]
    assert {(canvas.width, canvas.height) for canvas in read.canvases} == {(400, 600)}


def test_a_service_is_asked_for_no_more_than_is_needed():
    fine = Canvas("c", "", 8000, 6000, "http://x/i.jpg", "http://x/s", 3)
    assert fine.address == "http://x/s/full/!3000,3000/0/default.jpg"
    assert Canvas("c", "", 800, 600, "http://x/i.jpg", "http://x/s", 2).address.endswith(
        "/full/full/0/default.jpg"
    )
    assert read_manifest(manifest_3("http://x", NAMES, (9000, 9), service=True)).canvases[0].version == 3


def test_a_manifest_is_fetched_and_a_second_run_fetches_nothing(server: Server):
    write(server.folder / "manifest.json", manifest_3(server.url, NAMES, (400, 600)))
    found = find_scans([f"{server.url}/manifest.json"])
    assert not found.errors
    assert [next(read_scans(path)).image[0, 0, 0] for path in found.scans] == [200, 201, 202]
    canvas, label = canvas_of(found.scans[1]) or pytest.fail("no canvas")
    assert (canvas.id, label) == (f"{server.url}/canvas/2", "Letters")
    assert origin_of(found.scans[1]) == canvas.id
    count = len(server.requests)
    assert find_scans([f"{server.url}/manifest.json"]).scans == found.scans
    assert len(server.requests) == count


def test_a_manifest_with_a_canvas_more_is_asked_for_anew_and_its_images_are_not(
    server: Server, monkeypatch: pytest.MonkeyPatch
):
    address = f"{server.url}/manifest.json"
    whole = manifest_3(server.url, NAMES, (400, 600))
    part = {**whole, "items": [whole["items"][0], whole["items"][2]]}
    write(server.folder / "manifest.json", part)
    assert len(find_scans([address]).scans) == 2
    write(server.folder / "manifest.json", whole)
    assert len(find_scans([address]).scans) == 2
    monkeypatch.setenv("HANDSHIFT_REFRESH", "1")
    server.requests.clear()
    found = find_scans([address])
    assert [path for path, _ in server.requests] == ["/manifest.json", "/images/a2.png"]
    assert [next(read_scans(path)).image[0, 0, 0] for path in found.scans] == [200, 201, 202]
    assert [known_as(path) for path in found.scans] == [item["id"] for item in whole["items"]]


def test_a_collection_lists_manifests_of_both_versions_and_a_missing_one_is_an_error(server: Server):
    write(server.folder / "manifest.json", manifest_3(server.url, NAMES[:1], (400, 600)))
    write(server.folder / "manifest2.json", manifest_2(server.url, NAMES[1:], (400, 600)))
    members = [
        {"id": f"{server.url}/{name}", "type": "Manifest"} for name in ("manifest.json", "manifest2.json")
    ]
    members += [members[0], {"id": f"{server.url}/gone.json", "type": "Manifest"}]
    top = {"type": "Collection", "id": f"{server.url}/top.json", "items": members}
    found = find_scans([str(write(server.folder / "elsewhere" / "top.json", top))])
    assert len(found.scans) == 3
    assert [str(error) for error in found.errors if "404" in str(error)]


def test_collections_within_collections_of_version_2_are_read_and_a_circle_ends(server: Server):
    write(server.folder / "manifest.json", manifest_3(server.url, NAMES[:1], (400, 600)))
    write(server.folder / "manifest2.json", manifest_2(server.url, NAMES[1:], (400, 600)))
    inner = {"@type": "sc:Collection", "@id": f"{server.url}/inner.json"}
    manifests = [{"@id": f"{server.url}/manifest2.json", "@type": "sc:Manifest"}]
    write(server.folder / "inner.json", {**inner, "manifests": manifests, "collections": [inner]})
    members = [inner, {"@id": f"{server.url}/manifest.json", "@type": "sc:Manifest"}]
    top = {"@type": "sc:Collection", "@id": f"{server.url}/top.json", "members": members}
    write(server.folder / "top.json", top)
    found = find_scans([f"{server.url}/top.json"])
    assert [next(read_scans(path)).image[0, 0, 0] for path in found.scans] == [201, 202, 200]
    assert not found.errors


def test_a_folder_of_images_beside_a_saved_manifest_works_offline(
    images: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    saved = write(images / "manifest.json", manifest_3("https://archive.example", NAMES[::-1], (400, 600)))
    found = find_scans([saved])
    assert [path.name for path in found.scans] == NAMES[::-1] and not found.errors
    (images / "a2.png").unlink()
    found = find_scans([saved])
    assert [path.name for path in found.scans] == ["a3.png", "a1.png"]
    assert "HANDSHIFT_OFFLINE" in str(found.errors[0])


def test_canvases_of_a_folder_that_may_not_be_written_to_are_listed_in_the_cache(
    images: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    saved = write(images / "manifest.json", manifest_3("https://archive.example", NAMES, (400, 600)))
    (images / CANVASES).mkdir()  # a file of this name cannot be written, whoever runs the test
    found = find_scans([saved])
    assert len(found.scans) == 3 and not found.errors
    assert [origin_of(path) for path in found.scans] == [
        f"https://archive.example/canvas/{n}" for n in (1, 2, 3)
    ]
    assert list((cache / "iiif" / "listed").iterdir())


def test_two_manifests_beside_the_same_images_keep_their_canvases(
    images: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    for name, part in (("one", NAMES[:1]), ("two", NAMES[1:])):
        saved = write(images / f"{name}.json", manifest_3(f"https://{name}.example", part, (400, 600)))
        assert len(find_scans([saved]).scans) == len(part)
    assert [known_as(images / name) for name in NAMES] == [
        "https://one.example/canvas/1",
        "https://two.example/canvas/1",
        "https://two.example/canvas/2",
    ]
    (images / CANVASES).write_text("[]")  # somebody else's
    assert known_as(images / NAMES[0]) == str(images / NAMES[0])


def test_a_download_that_broke_off_goes_on_where_it_was(server: Server, tmp_path: Path):
    (server.folder / "big.bin").write_bytes(bytes(range(256)) * 40)
    server.breaks["/big.bin"] = [3000, 7000]
    fetcher = PoliteFetcher(pause=0.0, sleep=lambda seconds: None)
    target = fetcher.fetch(f"{server.url}/big.bin", tmp_path / "big.bin")
    assert target.read_bytes() == bytes(range(256)) * 40
    assert [range_ for _, range_ in server.requests] == [None, "bytes=3000-", "bytes=7000-"]
    assert not list(tmp_path.glob("*.part*"))


def test_a_file_that_changed_since_its_download_broke_off_is_fetched_anew(server: Server, tmp_path: Path):
    (server.folder / "big.bin").write_bytes(b"old" * 2000)
    server.breaks["/big.bin"], server.tags["/big.bin"] = [3000], '"1"'

    def replaced(seconds: float) -> None:
        (server.folder / "big.bin").write_bytes(b"new" * 2000)
        server.tags["/big.bin"] = '"2"'

    fetcher = PoliteFetcher(pause=0.0, sleep=replaced)
    assert fetcher.fetch(f"{server.url}/big.bin", tmp_path / "big.bin").read_bytes() == b"new" * 2000
    assert not list(tmp_path.glob("*.part*"))


def test_single_addresses_keep_their_distance_too(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HANDSHIFT_FETCH_RATE", "5")
    begun = time.monotonic()
    assert len(find_scans([f"{server.url}/images/{name}" for name in NAMES]).scans) == 3
    assert time.monotonic() - begun > 0.4


def test_a_busy_server_is_given_the_time_it_asks_for(server: Server, tmp_path: Path):
    server.busy["/images/a1.png"] = 2
    waits: list[float] = []
    fetcher = PoliteFetcher(pause=0.0, sleep=waits.append)
    fetcher.fetch(f"{server.url}/images/a1.png", tmp_path / "a1.png")
    assert waits == [7.0, 7.0]
    with pytest.raises(PageError, match="404"):
        fetcher.fetch(f"{server.url}/no.png", tmp_path / "no.png")


def test_requests_to_one_host_keep_their_distance_and_sizes_are_bounded(server: Server, tmp_path: Path):
    waits: list[float] = []
    fetcher = PoliteFetcher(pause=0.5, sleep=waits.append)
    for name in NAMES[:2]:
        fetcher.fetch(f"{server.url}/images/{name}", tmp_path / name)
    assert len(waits) == 1 and 0.2 < waits[0] <= 0.5
    with pytest.raises(PageError, match="at most 10"):
        fetcher.fetch(f"{server.url}/images/a3.png", tmp_path / "a3.png", limit=10)
    with pytest.raises(PageError, match="only http"):
        fetcher.fetch("file:///etc/hostname", tmp_path / "hostname")


@pytest.mark.parametrize("content", ["{}", "[1]", '{"type": "Manifest", "items": []}', "{torn"])
def test_what_is_no_manifest_is_an_error_of_its_file(content: str, tmp_path: Path):
    (tmp_path / "m.json").write_text(content)
    found = find_scans([tmp_path / "m.json"])
    assert not found.scans and len(found.errors) == 1
    with pytest.raises(PageError):
        list(iiif_images(tmp_path / "m.json"))


ODD = {
    "no sizes": {"width": "wide", "height": 1e999, "images": [{"resource": {"@id": "http://[/a1.png"}}]},
    "no text": {"@id": "\ud800", "label": [[{}]], "images": [{"resource": {"@id": "a1.png"}}]},
    "no list": {"images": 5},
}


@pytest.mark.parametrize("canvas", ODD.values(), ids=ODD)
@pytest.mark.parametrize("collection", [False, True])
def test_odd_values_in_a_manifest_are_read_or_one_error(
    canvas: dict[str, object], collection: bool, images: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    manifest = {"@type": "sc:Manifest", "@id": "x" * 300, "sequences": [{"canvases": [canvas]}]}
    content = {"@type": "sc:Collection", "members": 7, "manifests": [manifest]} if collection else manifest
    (images / "m.json").write_text(json.dumps(content))
    found = find_scans([images / "m.json"])
    assert len(found.scans) + len(found.errors) == 1


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_packed_scans_are_unpacked_once_and_never_outside_of_the_cache(
    kind: str, images: Path, tmp_path: Path, cache: Path
):
    packed = tmp_path / f"letters.{kind}"
    files = {f"letters/{name}": (images / name).read_bytes() for name in NAMES}
    files |= {"../evil.png": files["letters/a1.png"], "letters/notes.txt": b"no scan"}
    if kind == "zip":
        with zipfile.ZipFile(packed, "w") as out:
            for name, content in files.items():
                out.writestr(name, content)
    else:
        with tarfile.open(packed, "w:gz" if kind == "tar.gz" else "w") as tar:
            for name, content in files.items():
                about = tarfile.TarInfo(name)
                about.size = len(content)
                tar.addfile(about, io.BytesIO(content))
            link = tarfile.TarInfo("letters/link.png")
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
            tar.addfile(link)
    found = find_scans([packed])
    assert [path.name for path in found.scans] == NAMES and not found.errors
    assert all(path.is_relative_to(cache) for path in found.scans)
    assert origin_of(found.scans[0]) == f"{packed}/letters/a1.png"
    assert not list(tmp_path.rglob("evil.png")) and not list(cache.rglob("*.txt"))
    assert find_scans([packed]).scans == found.scans
    packed.write_bytes(packed.read_bytes()[:100])
    assert find_scans([packed]).errors


def test_what_is_not_packed_and_addresses_that_fail_are_one_plain_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "letters.zip").write_text("no")
    (error,) = find_scans([tmp_path / "letters.zip"]).errors
    assert error.problem == "neither a zip nor a tar file, or damaged; copy it again"
    monkeypatch.setenv("HANDSHIFT_OFFLINE", "1")
    (error,) = find_scans(["https://archive.example/manifest.json"]).errors
    assert str(error).startswith("https://archive.example/manifest.json: is not here yet")
    (error,) = find_scans(["unknown://bucket/letters"]).errors
    assert str(error).count("unknown://bucket/letters") == 1


def test_a_packed_file_beyond_the_limits_is_refused(
    images: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with zipfile.ZipFile(tmp_path / "many.zip", "w") as out:
        for name in NAMES:
            out.write(images / name, name)
    monkeypatch.setattr(packed_files, "MOST_FILES", 2)
    assert "more than is unpacked" in str(find_scans([tmp_path / "many.zip"]).errors[0])


METS = """<?xml version="1.0"?>
<mets:mets xmlns:mets="http://www.loc.gov/METS/" xmlns:xlink="http://www.w3.org/1999/xlink">
<mets:fileSec>
<mets:fileGrp USE="THUMBS"><mets:file ID="t1" MIMETYPE="image/png">
<mets:FLocat xlink:href="images/a3.png"/></mets:file></mets:fileGrp>
<mets:fileGrp USE="DEFAULT">
<mets:file ID="i1" MIMETYPE="image/png"><mets:FLocat xlink:href="images/a1.png"/></mets:file>
<mets:file ID="i2" MIMETYPE="image/png"><mets:FLocat xlink:href="images/a2.png"/></mets:file>
<mets:file ID="i3" MIMETYPE="image/png"><mets:FLocat xlink:href="{third}"/></mets:file></mets:fileGrp>
<mets:fileGrp USE="FULLTEXT"><mets:file ID="x2" MIMETYPE="application/alto+xml">
<mets:FLocat xlink:href="fulltext/second.xml"/></mets:file></mets:fileGrp>
</mets:fileSec>
<mets:structMap TYPE="PHYSICAL"><mets:div TYPE="physSequence">
<mets:div ORDER="2" TYPE="page"><mets:fptr FILEID="i1"/><mets:fptr FILEID="t1"/></mets:div>
<mets:div ORDER="1" TYPE="page"><mets:fptr FILEID="x2"/><mets:fptr FILEID="i2"/></mets:div>
<mets:div ORDER="3" TYPE="page"><mets:fptr FILEID="i3"/></mets:div>
</mets:div></mets:structMap></mets:mets>"""
ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout><Page WIDTH="40"
HEIGHT="60"><PrintSpace>
<TextBlock><TextLine HPOS="2" VPOS="4" WIDTH="30" HEIGHT="9"><String CONTENT="word" HPOS="2" VPOS="4"
WIDTH="12" HEIGHT="9"/><String CONTENT="two" HPOS="20" VPOS="4" WIDTH="12" HEIGHT="9"/></TextLine></TextBlock>
</PrintSpace></Page></Layout></alto>"""


PAGE = """<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageFilename="a2.png" imageWidth="40" imageHeight="60">
<TextRegion id="r"><Coords points="2,4 32,4 32,13"/>
<TextLine id="l"><Coords points="2,4 32,4 32,13 2,13"/><Word id="w"><Coords points="2,4 14,4 14,13 2,13"/>
<TextEquiv><Unicode>dear</Unicode></TextEquiv></Word></TextLine></TextRegion></Page></PcGts>"""


def test_mets_gives_pages_in_order_each_with_its_alto(images: Path):
    folder = images.parent
    (folder / "fulltext").mkdir()
    (folder / "fulltext" / "second.xml").write_text(ALTO)
    (folder / "mets.xml").write_text(METS.format(third="../outside.png"))
    found = find_scans([folder / "mets.xml"])
    assert [next(read_scans(path)).image[0, 0, 0] for path in found.scans] == [201, 200]
    given = find_segmentation(found.scans[0])
    assert given is not None and [piece.text for piece in given.pieces] == ["word", "two"]
    assert [known_as(path) for path in found.scans] == [str(images / name) for name in ("a2.png", "a1.png")]
    assert find_segmentation(found.scans[1]) is None
    assert "leads out of the folder" in str(found.errors[0])


@pytest.mark.parametrize(
    "href", ["file:///etc/hostname", "file:{outside}", "http://[", "images/a%00.png", "a" * 300 + ".png"]
)
def test_mets_opens_no_file_outside_of_its_folder_and_odd_addresses_are_errors(href: str, images: Path):
    folder = images.parent / "received"
    folder.mkdir()
    shutil.copytree(images, folder / "images")
    (folder / "mets.xml").write_text(METS.format(third=href.format(outside=images / "a3.png")))
    found = find_scans([folder / "mets.xml"])
    assert [path.name for path in found.scans] == ["a1.png"]
    assert len(found.errors) == 2  # the text of the other page is not there


def test_an_order_that_is_no_number_is_that_of_the_file(images: Path):
    content = METS.format(third="images/a3.png").replace('<mets:fptr FILEID="x2"/>', "")
    mets = images.parent / "mets.xml"
    mets.write_text(content.replace('ORDER="2"', 'ORDER="second"').replace('ORDER="1"', 'ORDER="NaN"'))
    assert [path.name for path in find_scans([mets]).scans] == ["a1.png", "a2.png", "a3.png"]


def test_mets_gives_the_page_xml_of_a_page(images: Path):
    folder = images.parent
    (folder / "fulltext").mkdir()
    (folder / "fulltext" / "second.xml").write_text(PAGE)
    mets = METS.format(third="images/a3.png").replace(
        "application/alto+xml", "application/vnd.prima.page+xml"
    )
    (folder / "mets.xml").write_text(mets)
    found = find_scans([folder / "mets.xml"])
    given = find_segmentation(found.scans[0])
    assert given is not None and [piece.text for piece in given.pieces] == ["dear"]
    assert len(found.scans) == 3 and not found.errors


def test_a_folder_behind_a_url_of_fsspec_is_copied_once(images: Path, cache: Path):
    import fsspec

    memory = fsspec.filesystem("memory")
    for name in NAMES:
        memory.pipe_file(f"/letters/box/{name}", (images / name).read_bytes())
    memory.pipe_file("/letters/notes.txt", b"no scan")
    try:
        found = find_scans(["memory://letters"])
        assert [path.name for path in found.scans] == NAMES and not found.errors
        assert origin_of(found.scans[0]) == "memory://letters/box/a1.png"
        single = find_scans(["memory://letters/box/a2.png"]).scans[0]
        assert single.name == "a2.png" and origin_of(single) == "memory://letters/box/a2.png"
        assert origin_of(images / "a1.png") is None
        assert "no scans" in str(find_scans(["memory://empty"]).errors[0])
        assert "nosuch" in str(find_scans(["nosuch://bucket"]).errors[0])
    finally:
        memory.rm("/letters", recursive=True)


def test_annotations_of_a_turned_scan_lie_on_the_scan():
    from handshift.page.hand_labels import HandsOnPage
    from handshift.page.rescale_hands import rescaled
    from handshift.page.view import View
    from handshift.page.word import Box, Page, Word

    ink = np.zeros((1, 1), np.uint8)
    word = Word(Box(10, 20, 30, 5), 0, ink)
    page = Page(np.zeros((200, 100, 3), np.uint8), (word,), Path("a.png"), "0" * 64)
    plain = rescaled(HandsOnPage(page, ["A"], [1.0]), 200, 400).page
    assert plain.words[0].box == Box(20, 40, 60, 10) and plain.image.shape[:2] == (400, 200)
    turned = Page(page.image, (word,), Path("a.png"), "0" * 64, view=View(90, None, (200, 100)))
    box = rescaled(HandsOnPage(turned, ["A"], [1.0]), 200, 100).page.words[0].box
    assert (box.width, box.height) == (5, 30)
    assert json.dumps(list(map(int, box)))
