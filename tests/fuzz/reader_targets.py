"""Every reader of untrusted files, with seeds to start from: for the tests, atheris and the benchmark."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import seeds

from handshift.core.errors import PageError
from handshift.models.shipped_models import MODELS_FOLDER
from handshift.page.archive.polite_fetch import PoliteFetcher

CORPUS = Path(__file__).parent / "corpus"
"""Files that once broke a reader, kept for good: CORPUS/TARGET/*."""


@dataclass(frozen=True)
class Target:
    """One reader: what it reads, and from which valid files mutation starts."""

    name: str
    file: str
    """Name of the file it is given."""
    seed: Callable[[], bytes]
    read: Callable[[Path], object]

    @cached_property
    def corpus(self) -> list[bytes]:
        """The valid file, and what once broke the reader."""
        kept = sorted((CORPUS / self.name).glob("*")) if (CORPUS / self.name).is_dir() else []
        return [self.seed(), *(path.read_bytes() for path in kept)]

    def prepare(self, folder: Path) -> Path:
        """Make what the file refers to, and return where the file goes."""
        (folder / "file").touch()
        (folder / "vectors-0000000000000000.npy").write_bytes(seeds.npy(np.ones((3, 2), np.float32)))
        return folder / self.file


def _pages(path: Path) -> object:
    from handshift.page.scan import scan_pages

    for scan in scan_pages(path):
        if isinstance(scan, PageError):
            assert str(scan)
    return None


def _segmentation(path: Path) -> object:
    from handshift.page.sidecar import read_segmentation

    return read_segmentation(path).fitted_to(90, 60, 200)


def _arrays(path: Path) -> object:
    from handshift.core.loaders import map_npy, read_npy

    return read_npy(path), map_npy(path)


def _message(path: Path) -> object:
    """A message of the decoding process: whatever it says, the answer is a message or one error."""
    from handshift.page.decode_protocol import receive

    try:
        return receive(io.BytesIO(path.read_bytes()), 1 << 20)
    except (EOFError, ValueError):  # what `DecodeWorker.request` turns into a PageError
        return None


def _journal(path: Path) -> object:
    from handshift.core.run_journal import RunJournal

    journal = RunJournal(path, {"model": "m"})
    journal.close()
    return journal


def _call(where: str, *more: Any) -> Callable[[Path], object]:
    """The function ``module:name`` or ``module:Class.method``, imported when it is first called."""
    from importlib import import_module

    def read(path: Path) -> object:
        module, _, name = where.partition(":")
        found: Any = import_module(f"handshift.{module}")
        for part in name.split("."):
            found = getattr(found, part)
        return found(path, *more)

    return read


def _folder(where: str, *more: Any) -> Callable[[Path], object]:
    """As `_call`, for what is read by its folder."""
    read = _call(where, *more)
    return lambda path: read(path.parent)


class _Offline(PoliteFetcher):
    """Fetches nothing, whatever address a mutated file holds."""

    def fetch(self, url: str, path: Path, limit: int = 0, *, anew: bool = False) -> Path:
        raise PageError(path, f"{url} is not fetched")


def _iiif(path: Path) -> object:
    from handshift.page.archive.iiif_source import iiif_images

    return list(iiif_images(path, _Offline()))


def _mets(path: Path) -> object:
    """As in the worker, whose process a case would hide."""
    from handshift.page.archive import mets
    from handshift.page.archive.mets_file import read_mets

    with patch.object(mets, "isolated_mets", read_mets):
        return list(mets.mets_images(path, _Offline()))


def _packed(path: Path) -> object:
    from handshift.page.archive.packed_files import unpacked
    from handshift.page.scan import SCAN_SUFFIXES

    with TemporaryDirectory() as cache, patch.dict(os.environ, HANDSHIFT_CACHE=cache):
        return unpacked(path, SCAN_SUFFIXES)


def _store_pages(path: Path) -> object:
    from handshift.store.archive_store import ArchiveStore

    return list(ArchiveStore.create(path.parent, "m", "f", 2).entries())


def _preset(path: Path) -> object:
    from handshift.embedding.train.presets import load_preset

    return load_preset(str(path))


def _message_seed() -> bytes:
    from handshift.page.decode_protocol import send

    stream = io.BytesIO()
    send(stream, {"pages": 1, "sha256": "0"}, b"pixels")
    return stream.getvalue()


_RECORDING = _call("healthmap.vibration.recording:read_recording", 8000.0)
_MAP = _call("healthmap.health_map:read_map")
_ALL = [
    Target("png", "case.png", lambda: seeds.picture("PNG"), _pages),
    Target("jpeg", "case.jpg", lambda: seeds.picture("JPEG"), _pages),
    Target("tiff", "case.tif", lambda: seeds.picture("TIFF", 2, compression="tiff_lzw"), _pages),
    Target("webp", "case.webp", lambda: seeds.picture("WEBP"), _pages),
    Target("bmp", "case.bmp", lambda: seeds.picture("BMP"), _pages),
    Target("pdf", "case.pdf", lambda: seeds.picture("PDF", 2), _pages),
    Target("page-xml", "case.xml", lambda: seeds.PAGE_XML, _segmentation),
    Target("alto", "case.xml", lambda: seeds.ALTO, _segmentation),
    Target("iiif", "case.json", seeds.iiif, _iiif),
    Target("mets", "case.xml", lambda: seeds.METS, _mets),
    Target("zip", "case.zip", lambda: seeds.packed("zip"), _packed),
    Target("tar", "case.tar.xz", lambda: seeds.packed("tar"), _packed),
    Target("message", "case.bin", _message_seed, _message),
    Target("journal", "case.journal", lambda: b'{"journal": 2, "settings": {"model": "m"}}\n{}\n', _journal),
    Target("npy", "case.npy", lambda: seeds.npy(np.arange(12.0).reshape(3, 4)), _arrays),
    Target(
        "npz",
        "case.npz",
        lambda: seeds.npz(mean=np.arange(9.0), names=np.array(["a", "bc"])),
        _call("core.loaders:read_npz"),
    ),
    Target("json", "case.json", seeds.card, _call("core.loaders:read_json_object")),
    Target("card", "card.json", seeds.card, _call("core.model_card:ModelCard.load")),
    Target("findings", "case.json", seeds.findings, _call("report.load_findings:load_findings")),
    Target("split", "case.json", lambda: seeds.SPLIT, _call("corpus.split:WriterSplit.load")),
    Target("manifest", "case.csv", lambda: seeds.MANIFEST, _call("corpus.manifest:read_manifest")),
    Target("gallery", "gallery.json", seeds.gallery, _folder("embedding.gallery:Gallery.load")),
    Target("bags", "bags.json", seeds.bag_record, _folder("bag.bag_folder:BagFolder.load")),
    Target(
        "scale",
        "scale.json",
        lambda: (MODELS_FOLDER.parent / "calibration" / "scale.json").read_bytes(),
        _call("calibration.verbal_scale:Scale.load"),
    ),
    Target(
        "page-calibration",
        "context.json",
        seeds.shipped("context.json"),
        _call("calibration.page_calibration:PageCalibration.load"),
    ),
    Target(
        "pair-calibration",
        "comparison.json",
        seeds.shipped("comparison.json"),
        _call("calibration.pair_calibration:PairCalibration.load"),
    ),
    Target(
        "hands-calibration",
        "hands.json",
        seeds.shipped("hands.json"),
        _call("attribution.hand_count_calibration:HandCountCalibration.load"),
    ),
    Target(
        "covariances",
        "covariances.npz",
        seeds.shipped("covariances.npz"),
        _call("detect.plda:Plda.load"),
    ),
    Target("scope", "scope.json", seeds.scope_fit, _folder("calibration.scope_fit:ScopeFit.load")),
    Target(
        "operating-points",
        "operating-points.json",
        seeds.shipped("operating-points.json"),
        _call("calibration.operating_points:ModelOperatingPoints.load"),
    ),
    Target(
        "combination",
        "combination.json",
        seeds.shipped("combination.json"),
        _folder("detect.combination:Combination.load"),
    ),
    Target(
        "store",
        "store.json",
        lambda: b'{"handshift": "store", "version": 1, "model": "m", "fingerprint": "f", "dimensions": 2}',
        _folder("store.archive_store:ArchiveStore.open"),
    ),
    Target("store-pages", "segment-000000.parquet", seeds.store_pages, _store_pages),
    Target("onnx", "case.onnx", seeds.tiny_network, _call("core.onnx_session:OnnxSession")),
    Target("recording-csv", "case.csv", seeds.csv_recording, _RECORDING),
    Target("recording-wav", "case.wav", seeds.wav, _RECORDING),
    Target("recording-mat", "case.mat", seeds.mat, _RECORDING),
    Target("recording-hdf5", "case.h5", seeds.hdf5, _RECORDING),
    Target("recording-parquet", "case.parquet", seeds.parquet, _RECORDING),
    Target("recording-uff", "case.uff", seeds.uff, _RECORDING),
    Target("recording-tdms", "case.tdms", seeds.tdms, _RECORDING),
    Target("recording-npz", "case.npz", lambda: seeds.npz(signal=seeds.signal()), _RECORDING),
    Target("study", "case.yaml", seeds.study, _call("study.spec:load_spec")),
    Target("preset", "case.yaml", lambda: b"margin: arcface\nsteps: 9\n", _preset),
    Target(
        "gear",
        "case.yaml",
        lambda: seeds.GEAR,
        _call("healthmap.vibration.description:RecordingDescription.load"),
    ),
    Target(
        "watch-log",
        "case.jsonl",
        lambda: seeds.WATCH,
        _call("healthmap.watch.watch_log:WatchLog.open", "m"),
    ),
    Target(
        "training-log",
        "metrics.jsonl",
        lambda: b'{"step": 1, "kind": "a"}\n',
        _folder("training.journal:read_journal"),
    ),
    Target(
        "map-model",
        "model.json",
        lambda: b'{"detector": "pca"}',
        _folder("healthmap.trained_model:TrainedModel.load"),
    ),
    Target("map-tiff", "case.tif", lambda: seeds.health_map(".tif"), _MAP),
    Target("map-npy", "case.npy", lambda: seeds.health_map(".npy"), _MAP),
    Target(
        "map-standardisation",
        "standardisation.npz",
        lambda: seeds.npz(domains=np.array(["a"]), usual=np.ones((1, 6, 5), np.float32)),
        _folder("healthmap.standardisation:Standardisation.load", "f"),
    ),
    Target(
        "simulation",
        "case.yaml",
        lambda: (MODELS_FOLDER.parent / "healthmap" / "simulate" / "published.yaml").read_bytes(),
        _call("healthmap.simulate.parameters:MapSimulation.load"),
    ),
    Target("weights", "case.safetensors", seeds.weights, _call("training.tensors:load_tensors")),
    Target("audit-log", "case.jsonl", lambda: b'{"a": 1}\n{"b": 2}\n', _call("web.audit_log:read_lines")),
]
TARGETS = {target.name: target for target in _ALL}
