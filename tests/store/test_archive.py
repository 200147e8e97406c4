"""An archive is indexed, searched, updated and clustered; its ratios are those of `verify`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest

from handshift.core.errors import HandshiftError
from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
from handshift.embedding.word_vectors import file_sha256
from handshift.engine.local_processes import LocalProcesses
from handshift.models.shipped_models import find_model
from handshift.page.word import Box
from handshift.pipeline.verifier import Verifier
from handshift.store import archive_store, index_pages
from handshift.store.archive_clusters import default_least, shared_hands
from handshift.store.archive_store import ArchiveStore, StoreError
from handshift.store.find_hand import HandSearch
from handshift.store.find_report import clusters_html, find_html, find_record
from handshift.store.hand_index import HandIndex, query_near, rows_near
from handshift.store.index_archive import index_archive, index_vectors, remove_pages
from handshift.store.index_pages import THUMBNAIL, thumbnail
from handshift.store.page_entry import HandEntry, PageEntry

TEXT = (
    "the parcel you sent on Friday came this morning with the post van and all was whole and dry so that we "
    "could put it on the table before the others were down"
)
LAYOUT = Layout(width_mm=150.0, height_mm=120.0)
SCRIBES = (1, 2, 3, 4)


@pytest.fixture(scope="module")
def scans(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two pages by each of four scribes, s1-0.png to s4-1.png."""
    folder = tmp_path_factory.mktemp("scans")
    for scribe in SCRIBES:
        for copy in range(2):
            page = draw_page([Passage(Scribe(scribe), TEXT)], seed=10 * scribe + copy, layout=LAYOUT)
            save_page(page, folder / f"s{scribe}-{copy}.png")
    return sorted(folder.glob("*.png"))


@pytest.fixture(scope="module")
def archive(scans: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("archive") / "store"
    blank = scans[0].with_name("torn.jpg")
    blank.write_bytes(b"\xff\xd8\xff torn")
    failed: list[str] = []
    done = index_archive(
        [*scans, blank], store, engine=LocalProcesses(1), on_failure=lambda entry: failed.append(entry.file)
    )
    assert (done.pages, done.failed, failed) == (9, 1, [str(blank)])
    blank.unlink()
    return store


@pytest.fixture
def copied(archive: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(archive, tmp_path / "store"))


@pytest.fixture(scope="module")
def search(archive: Path) -> HandSearch:
    return HandSearch(archive)


def test_the_other_page_of_a_hand_is_found_first_with_the_ratio_of_verify(
    search: HandSearch, scans: list[Path]
):
    verifier = Verifier()
    for scan in scans[::2]:
        found = search.find(search.query(scan), count=5)
        assert str(scan) not in [page.entry.file for page in found.pages]
        first = found.pages[0]
        assert first.entry.file == str(scan).replace("-0.png", "-1.png")
        if scan == scans[0]:
            compared = verifier.verify(scan, first.entry.file).comparison
            assert first.log10_lr == pytest.approx(compared.log10_lr, abs=1e-4)
            assert first.score == pytest.approx(compared.score, abs=1e-3)
    record = find_record(found)
    assert [page["rank"] for page in record["pages"]] == [1, 2, 3, 4, 5]
    assert record["propositions"]["population"]


def test_the_first_search_orders_hands_as_the_comparison_does(search: HandSearch):
    """For hands of the typical number of words, distance and ratio differ by a constant."""
    model, index = search.comparer.same_writer.plda, search.index
    hands = index.prototypes(np.arange(len(index.counts)))
    hands = type(hands)(hands.means, np.full(len(hands.counts), 40.0))
    sums = search.comparer.same_writer.sums(hands)
    score = search.comparer.same_writer.ratios(sums[:1], sums).score
    vectors = type(hands)(hands.means[:, :-1], hands.counts)
    far = np.square(query_near(model, vectors[:1]) - rows_near(model, vectors)).sum(axis=1)
    assert np.ptp(score + far / 2) < 1e-3


def test_pages_that_share_a_hand_are_grouped(search: HandSearch, tmp_path: Path):
    """Writers are sampled from the model: drawn scribes differ less than the people it was made for."""
    plda, rng = search.comparer.same_writer.plda, np.random.default_rng(0)
    store = ArchiveStore.create(
        tmp_path / "sampled", search.store.model, search.store.fingerprint, search.store.dimensions
    )
    back = np.linalg.pinv(plda.projection)
    for writer in range(6):
        hand = rng.normal(size=len(plda.writer)) * np.sqrt(plda.writer)
        for page in range(3):
            noise = rng.normal(size=len(plda.writer)) * np.sqrt(plda.session + 1 / 60)
            vector = np.asarray((hand + noise) @ back + plda.mean, np.float32)
            hands = (HandEntry("A", 60, vector),)
            store.add(PageEntry(f"w{writer}-{page}", f"{writer}{page}", 1, 60, vector, None, hands))
    store.flush()
    sampled = HandSearch(tmp_path / "sampled")
    groups = shared_hands(sampled, default_least(sampled))
    files = [sorted(entry.file for entry, _ in group.members) for group in groups]
    assert all(len({name[:2] for name in group}) == 1 for group in files), files
    assert len(groups) >= 4 and sum(map(len, files)) >= 10, files
    assert all(group.weakest >= default_least(sampled) for group in groups)
    assert shared_hands(sampled, least=99.0) == []


def test_reports_show_thumbnails_and_propositions(search: HandSearch, scans: list[Path], archive: Path):
    from datetime import datetime

    from handshift.calibration.verbal_scale import Language
    from handshift.report.run_header import Run

    for language in Language:
        run = Run(search.comparer.model, datetime.now().astimezone(), {}, language)
        html = find_html(search.find(search.query(scans[0]), count=3), archive, run)
        assert html.count("data:image/jpeg;base64,") == 3
        assert "log10 LR" in html
        propositions = search.comparer.same_writer.calibration.propositions
        html = clusters_html(shared_hands(search, 0.5), archive, 0.5, propositions, run)
        assert html.count("<figure") >= 6 and "calibration writers" in html


def test_files_are_removed_changed_and_left_alone(copied: Path, scans: list[Path], tmp_path: Path):
    assert remove_pages([str(scans[1])], copied) == 1
    assert remove_pages(["no such file"], copied) == 0
    search = HandSearch(copied)
    found = search.find(search.query(scans[0]), count=9)
    assert str(scans[1]) not in [page.entry.file for page in found.pages] and len(found.pages) == 6
    before = ArchiveStore.open(copied)
    before.compact()
    assert len(before.segments) == 1
    assert len(list(ArchiveStore.open(copied).entries())) == 8  # with the torn file, whose error is kept

    done = index_archive(scans[:3], copied, engine=LocalProcesses(1))
    assert (done.pages, done.unchanged) == (1, 2)
    assert len(HandSearch(copied).index.segment) == 8


def test_a_copy_of_a_removed_file_stays(copied: Path, scans: list[Path], tmp_path: Path):
    twin = tmp_path / "twin.png"
    shutil.copy(scans[1], twin)
    assert index_archive([twin], copied, engine=LocalProcesses(1)).pages == 1
    assert len(HandSearch(copied).index.segment) == 8  # one page under two names
    assert remove_pages([str(scans[1])], copied) == 1
    search = HandSearch(copied)
    found = search.find(search.query(scans[0]), count=9)
    assert found.pages[0].entry.file == str(twin) and len(found.pages) == 7


def test_a_page_is_removed_by_the_name_that_it_is_listed_under(copied: Path):
    store = ArchiveStore.open(copied)
    store.add(PageEntry("/cache/0001.png", "a" * 64, 1, origin="https://archive.example/canvas/1"))
    store.flush()
    assert remove_pages(["https://archive.example/canvas/1"], copied) == 1
    assert "/cache/0001.png" not in ArchiveStore.open(copied).files()


def test_a_store_of_another_model_is_refused(copied: Path):
    about = json.loads((copied / "store.json").read_text())
    (copied / "store.json").write_text(json.dumps({**about, "fingerprint": "other"}))
    with pytest.raises(StoreError, match="another model"):
        HandSearch(copied)
    with pytest.raises(StoreError, match="handshift index"):
        HandSearch(copied / "nowhere")
    (copied / "store.json").write_text(json.dumps({**about, "version": 1}))
    with pytest.raises(StoreError, match="another version"):
        HandSearch(copied)


def test_the_size_of_the_writing_counts_where_the_resolution_is_known(tmp_path: Path):
    for copy in range(2):
        page = draw_page([Passage(Scribe(1), TEXT)], seed=copy, layout=LAYOUT, dpi=150.0)
        save_page(page, tmp_path / f"{copy}.png")
    index_archive([tmp_path / "1.png"], tmp_path / "store", engine=LocalProcesses(1), dpi=150.0)
    search = HandSearch(tmp_path / "store", dpi=150.0)
    query = search.query(tmp_path / "0.png")
    model, hands = search.comparer.same_writer, search.index.prototypes(np.array([0]))
    assert model.ratios(query.side, model.sums(hands)).size != 0
    compared = Verifier(dpi=150.0).verify(tmp_path / "0.png", tmp_path / "1.png").comparison
    assert search.find(query).pages[0].log10_lr == pytest.approx(compared.log10_lr, abs=1e-4)
    assert search.find(query).pages[0].score == pytest.approx(compared.score, abs=1e-3)


def test_a_thumbnail_shows_the_first_lines_and_not_the_paper():
    sheet = np.full((3000, 2000, 3), 255, np.uint8)
    lines = [Box(600, top, 1000, 60) for top in range(1500, 2900, 100)]
    for line in lines:
        sheet[line.y : line.y + line.height, line.x : line.x + line.width] = 0
    shown = cv2.imdecode(np.frombuffer(thumbnail(sheet, lines), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert shown.shape == (THUMBNAIL[1], THUMBNAIL[0])
    assert 0.4 < (shown < 128).mean() < 0.7
    short = cv2.imdecode(np.frombuffer(thumbnail(sheet, lines[:1]), np.uint8), cv2.IMREAD_GRAYSCALE)
    assert short.shape[1] == THUMBNAIL[0] and short.shape[0] < THUMBNAIL[1] / 3


def test_a_page_has_at_most_twenty_kilobytes(archive: Path):
    size = sum(path.stat().st_size for path in archive.rglob("*") if path.is_file())
    assert size / 9 < 20_000


def test_a_hand_that_is_not_on_the_page_is_named(search: HandSearch, scans: list[Path]):
    with pytest.raises(HandshiftError, match="no hand Q; found are A"):
        search.query(scans[0], "q")


def test_the_index_is_built_once_and_again_after_a_change(copied: Path, monkeypatch: pytest.MonkeyPatch):
    search = HandSearch(copied)
    monkeypatch.setattr(HandIndex, "build", lambda *_: pytest.fail("built again"))
    HandSearch(copied)
    assert len(search.index.counts) >= 8


def test_entries_are_read_by_their_place_in_any_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(archive_store, "ROW_GROUP", 3)
    store = ArchiveStore.create(tmp_path, "m", "f", 2)
    for half in range(2):
        for number in range(8):
            store.add(PageEntry(f"{half}-{number}", f"{half}{number}", 1, thumbnail=bytes([half, number])))
        store.flush()
    places = [(name, row) for name in store.segments for row in (7, 0, 2, 3)]
    assert [entry.thumbnail for entry in store.at(places)] == [
        bytes([half, row]) for half in range(2) for row in (7, 0, 2, 3)
    ]
    (tmp_path / store.segments[0]).write_bytes(b"torn")
    with pytest.raises(StoreError, match="damaged"):
        store.at(places)


def test_a_folder_of_vectors_is_indexed_once(
    search: HandSearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    plda, rng = search.comparer.same_writer.plda, np.random.default_rng(1)
    words = {"a.png": 12, "b.png": 15, "c.png": 3}
    rows = rng.normal(size=(sum(words.values()), len(plda.writer))) @ np.linalg.pinv(plda.projection)
    folder = tmp_path / "vectors"
    folder.mkdir()
    np.save(folder / "vectors.npy", (rows + plda.mean).astype(np.float32))
    table = [f"{page},w,1,x" for page, count in words.items() for _ in range(count)]
    (folder / "words.csv").write_text("\n".join(["page,writer,session,prompt", *table, ""]))
    network = find_model(None).folder / "words.onnx"
    (folder / "vectors.json").write_text(json.dumps({"network": file_sha256(network)}))
    done = index_vectors(folder, tmp_path / "store")
    assert (done.pages, done.failed, done.unchanged) == (3, 1, 0)
    assert len(HandSearch(tmp_path / "store").index.segment) == 2
    monkeypatch.setattr(
        index_pages, "hands_finder", lambda _: lambda *_: pytest.fail("looked for hands again")
    )
    assert index_vectors(folder, tmp_path / "store").unchanged == 3


def test_a_store_behind_a_url_holds_what_one_in_a_folder_holds(
    archive: Path, search: HandSearch, scans: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    import fsspec

    monkeypatch.setenv("HANDSHIFT_CACHE", str(tmp_path / "cache"))
    url, memory = "memory://archive/store", fsspec.filesystem("memory")
    try:
        store = ArchiveStore.create(
            url, search.store.model, search.store.fingerprint, search.store.dimensions
        )
        for _, entry in search.store.entries():
            store.add(entry)
        store.flush()
        remote = HandSearch(url)
        query = search.query(scans[0])
        found, expected = remote.find(query, count=5), search.find(query, count=5)
        assert [page.entry.file for page in found.pages] == [page.entry.file for page in expected.pages]
        assert found.pages[0].entry.thumbnail == expected.pages[0].entry.thumbnail
        assert remove_pages([str(scans[1])], url) == 1
        ArchiveStore.open(url).compact()
        assert len(list(ArchiveStore.open(url).entries())) == 8
        assert not list(memory.glob("/archive/store/index*")) and list(tmp_path.glob("cache/stores/*/index"))
    finally:
        memory.rm("/archive", recursive=True)
