"""A model small enough for tests, made of random filters: it runs like a trained one and knows little."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

DIMENSIONS = 16


def pytest_configure() -> None:
    """Let torch compute with one thread: small networks gain nothing by a second.

    The tests of heads take 7 instead of 25 seconds of processor time on two busy cores.
    """
    os.environ.setdefault("OMP_NUM_THREADS", "1")


def _pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is the catalogue."""
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + head + table + trailer


def _nested_forms(levels: int) -> bytes:
    """Each form draws the next one ten times: 10^levels drawings."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>"
    start = b"/F Do"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page]
    objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(start), start))
    for level in range(levels):
        draw = b"/F Do " * 10 if level < levels - 1 else b"0 0 9 9 re f"
        inner = b"/Resources<</XObject<</F %d 0 R>>>>" % (level + 6) if level < levels - 1 else b""
        form = b"<</Type/XObject/Subtype/Form/BBox[0 0 99 99]%s/Length %d>>stream\n%s\nendstream"
        objects.append(form % (inner, len(draw), draw))
    return _pdf(*objects)


@pytest.fixture(scope="session")
def endless_pdf() -> bytes:
    """A PDF of 2 KB that takes years to draw."""
    return _nested_forms(12)


class FailingDisk:
    """A disk that fails when so many files were synced; everything that handshift keeps is synced."""

    def __init__(self) -> None:
        self.syncs = 0
        self._error: int | None = None
        self._first, self._lasting = 0, True
        self._fsync = os.fsync

    def fail(self, error: str, at: int) -> None:
        """Fail at a sync, counted from 1: once with EIO, for good with ENOSPC (full), EROFS (read-only)."""
        self._error = getattr(errno, error)
        self.syncs, self._first, self._lasting = 0, at, error != "EIO"

    def kill(self, at: int) -> None:
        """End the process at a sync, without any cleaning up."""
        self._error, self.syncs, self._first = 0, 0, at

    def mend(self) -> None:
        """Work again, and count from 0."""
        self._error, self.syncs = None, 0

    def fsync(self, descriptor: int) -> None:
        """In the place of `os.fsync`."""
        self.syncs += 1
        due = self.syncs == self._first or (self._lasting and self.syncs > self._first)
        if self._error is not None and due:
            if not self._error:
                os._exit(137)
            raise OSError(self._error, os.strerror(self._error))
        self._fsync(descriptor)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> FailingDisk:
    """A disk to fail."""
    failing = FailingDisk()
    monkeypatch.setattr(os, "fsync", failing.fsync)
    return failing


def write_network(path: Path, seed: int = 0) -> None:
    """pictures (words, 1, 64, columns) → vectors (words, 16), unit rows."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(seed)
    filters = rng.normal(0, 0.2, (DIMENSIONS, 1, 9, 9)).astype(np.float32)
    filters -= filters.mean(axis=(2, 3), keepdims=True)  # strokes and their slant, not the amount of ink
    nodes = [
        helper.make_node("Conv", ["pictures", "filters"], ["edges"], strides=[2, 2]),
        helper.make_node("Relu", ["edges"], ["active"]),
        helper.make_node("GlobalAveragePool", ["active"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("LpNormalization", ["flat"], ["vectors"], axis=1, p=2),
    ]
    graph = helper.make_graph(
        nodes,
        "filters",
        [helper.make_tensor_value_info("pictures", TensorProto.FLOAT, ["words", 1, 64, "columns"])],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["words", DIMENSIONS])],
        [numpy_helper.from_array(filters, "filters")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, path)


@pytest.fixture(scope="session")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX file that turns word pictures into 16 numbers."""
    path = tmp_path_factory.mktemp("network") / "words.onnx"
    write_network(path)
    return path


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six synthetic scribes, two pages each: ``scribe-1/a.png`` and ``b.png``, with other words."""
    from handshift.corpus.scribes import Layout, Passage, Scribe, draw_page, save_page
    from handshift.corpus.scribes.texts import ENGLISH

    folder = tmp_path_factory.mktemp("pages")
    words = ENGLISH.split()
    for number in range(6):
        for letter, text in (("a", words[:30]), ("b", words[30:60])):
            path = folder / f"scribe-{number}" / f"{letter}.png"
            path.parent.mkdir(exist_ok=True)
            page = draw_page(
                [Passage(Scribe(number), " ".join(text))], seed=number, layout=Layout(height_mm=90)
            )
            save_page(page, path)
    return folder


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory, network: Path, pages: Path) -> str:
    """A model folder with everything that examining, verifying and identifying need."""
    from handshift.attribution.hand_count_calibration import HandCountCalibration
    from handshift.attribution.hmm_settings import HmmSettings
    from handshift.calibration import Calibration
    from handshift.calibration.logistic import Logistic
    from handshift.calibration.page_calibration import PageCalibration, Reference, SizedCalibration
    from handshift.calibration.pair_calibration import (
        BoundedLine,
        PairCalibration,
        PairPropositions,
        SizedLine,
        Tail,
    )
    from handshift.calibration.propositions import Propositions
    from handshift.core.model_card import ModelCard
    from handshift.detect.combination import Combination, Weights
    from handshift.detect.plda import fit_plda
    from handshift.embedding.embedder import Embedder
    from handshift.pipeline.embed_files import embed_files

    folder = tmp_path_factory.mktemp("model") / "tiny"
    folder.mkdir()
    shutil.copy(network, folder / "words.onnx")
    ModelCard("tiny", "random filters", "nothing", "six scribes", "nothing", "for tests").save(
        folder / "card.json"
    )
    embedder = Embedder(folder / "words.onnx", 1)
    scans = sorted(pages.glob("*/*.png"))
    read = [embed_files(embedder, scan).vectors for scan in scans]
    writer = np.repeat([scan.parent.name for scan in scans], [len(vectors) for vectors in read])
    session = np.repeat([ord(scan.stem) for scan in scans], [len(vectors) for vectors in read])
    covariances = fit_plda(np.concatenate(read), writer, session, dimensions=8)
    weights = Weights(mean=(0, 0), spread=(1, 1), weight=(1, 0), drift=0, offset=0)
    Combination(covariances, (), weights).save(folder)
    line, bounds = Logistic(0.1, 0.0), (-2.0, 2.0)
    sized = SizedCalibration(30, Calibration(line, *bounds), Reference((0.0,), (1.0,)))
    PageCalibration("tiny", Propositions("two", "one", "scribes"), (sized,)).save(folder / "context.json")
    HandCountCalibration(
        "tiny", "Six synthetic scribes.", HmmSettings(), 0.4, (0.0, -2.0, -2.0, -2.0, -2.0)
    ).save(folder / "hands.json")
    bounded = BoundedLine(line.slope, line.offset, *bounds)
    PairCalibration(
        "tiny",
        PairPropositions("One scribe drew both.", "Two scribes drew them.", "Six synthetic scribes."),
        (SizedLine(1, bounded, Tail(0, 0.2)), SizedLine(30, bounded, Tail(-1, 0.4))),
    ).save(folder / "comparison.json")
    return str(folder)


@pytest.fixture(scope="session")
def other_model(tmp_path_factory: pytest.TempPathFactory, tiny_model: str) -> str:
    """The same with other filters: its vectors mean something else."""
    from handshift.models.shipped_models import find_model

    folder = tmp_path_factory.mktemp("model") / "other"
    shutil.copytree(tiny_model, folder)
    write_network(folder / "words.onnx", seed=9)
    tiny = find_model(tiny_model)
    for name, part in (
        ("context", tiny.context()),
        ("comparison", tiny.comparison()),
        ("hands", tiny.hands()),
    ):
        part.save(folder / f"{name}.json")
    return str(folder)
