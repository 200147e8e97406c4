"""A small valid file of every format that handshift reads, drawn by code; mutation starts from these."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from handshift.models.shipped_models import DEFAULT, MODELS_FOLDER

WORDS = MODELS_FOLDER / DEFAULT

PAGE_XML = b"""<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page imageWidth="90" imageHeight="60">
<ReadingOrder><OrderedGroup id="g"><RegionRefIndexed index="0" regionRef="r"/></OrderedGroup></ReadingOrder>
<TextRegion id="r"><TextLine custom="readingOrder {index:1;}"><Coords points="1,2 30,40"/>
<Word><Coords points="1,2 9,9"/><TextEquiv index="0"><Unicode>a</Unicode></TextEquiv></Word></TextLine>
</TextRegion></Page></PcGts>"""
ALTO = b"""<alto><Description><MeasurementUnit>mm10</MeasurementUnit></Description>
<Layout><Page WIDTH="90" HEIGHT="60"><PrintSpace><TextBlock ID="a" IDNEXT="b">
<TextLine HPOS="1" VPOS="2" WIDTH="30" HEIGHT="9">
<String CONTENT="x" HPOS="1" VPOS="2" WIDTH="3" HEIGHT="9"/></TextLine>
</TextBlock></PrintSpace></Page></Layout></alto>"""
METS = b"""<mets xmlns:xlink="http://www.w3.org/1999/xlink"><fileSec><fileGrp USE="DEFAULT">
<file ID="i1" MIMETYPE="image/png"><FLocat xlink:href="file"/></file>
<file ID="i2" MIMETYPE="image/png"><FLocat xlink:href="https://a.b/2.png"/></file>
<file ID="x1" MIMETYPE="text/xml"><FLocat xlink:href="absent.xml"/></file></fileGrp></fileSec>
<structMap TYPE="PHYSICAL"><div ORDER="2"><fptr FILEID="i1"/></div>
<div ORDER="1"><fptr FILEID="i2"/><fptr FILEID="x1"/></div></structMap></mets>"""
GEAR = b"sample_rate: 8000\nsensors: [a]\ntacho: {channel: b}\n"
WATCH = b'{"written_by": "handshift maps watch", "model": "m"}\n'


def picture(form: str, pages: int = 1, **options: object) -> bytes:
    """A picture of noise."""
    random = np.random.default_rng(0)
    images = [Image.fromarray(random.integers(0, 255, (24, 20, 3), np.uint8)) for _ in range(pages)]
    more: dict[str, Any] = {"save_all": True, "append_images": images[1:]} if pages > 1 else {}
    file = io.BytesIO()
    images[0].save(file, form, **more, **options)
    return file.getvalue()


def npy(array: np.ndarray[Any, Any]) -> bytes:
    """An .npy file."""
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def npz(**arrays: np.ndarray[Any, Any]) -> bytes:
    """An .npz file."""
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # the stubs take one array for a flag
    return file.getvalue()


def signal() -> np.ndarray[Any, Any]:
    """A short recording."""
    return np.round(np.sin(np.arange(300) / 7.0), 3)


def csv_recording() -> bytes:
    """A recording as a table."""
    return b"time,a\n" + b"".join(b"%.2f,%.3f\n" % (i / 100, value) for i, value in enumerate(signal()))


def wav() -> bytes:
    """A recording as WAV."""
    from scipy.io import wavfile

    file = io.BytesIO()
    wavfile.write(file, 8000, (signal() * 9000).astype(np.int16))
    return file.getvalue()


def mat() -> bytes:
    """A recording as MAT v5."""
    from scipy.io import savemat

    file = io.BytesIO()
    target: Any = file  # the stubs know paths alone
    savemat(target, {"a": signal(), "fs": 8000.0}, do_compression=True)
    return file.getvalue()


def hdf5() -> bytes:
    """A recording as HDF5."""
    import h5py

    file = io.BytesIO()
    with h5py.File(file, "w") as opened:
        opened["a"] = signal()
        opened["fs"] = 8000.0
    return file.getvalue()


def parquet() -> bytes:
    """A recording as Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = io.BytesIO()
    pq.write_table(pa.table({"a": signal()}), file)
    return file.getvalue()


def uff() -> bytes:
    """A recording as UFF58."""
    rows = "".join(f"{value:13.5e}" + ("\n" if i % 6 == 5 else "") for i, value in enumerate(signal()))
    head = "\n".join(
        [
            *("    -1", "    58", "a", "none", "18-Nov-26", "none", "none"),
            "    1         0    1         0 NONE             1   0 NONE             1   0",
            "         2       300         1  0.00000e+00  1.00000e-02  0.00000e+00",
            "        17    0    0    0 none                 s",
            "        12    0    0    0 none                 m/s2",
            "         0    0    0    0 none                 none",
            "         0    0    0    0 none                 none",
        ]
    )
    return f"{head}\n{rows}    -1\n".encode()


def tdms() -> bytes:
    """A recording as TDMS."""
    from nptdms import ChannelObject, TdmsWriter

    file = io.BytesIO()
    with TdmsWriter(file) as writer:
        writer.write_segment([ChannelObject("g", "a", signal(), {"wf_increment": 0.01})])
    return file.getvalue()


def study() -> bytes:
    """A study file of the repository."""
    return (Path(__file__).parents[2] / "studies" / "toy-scribes.yaml").read_bytes()


def tiny_network() -> bytes:
    """An ONNX network of one operator."""
    from onnx import TensorProto, helper

    value = helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 2])
    done = helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 2])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [value], [done])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(made.SerializeToString())


def shipped(name: str) -> Callable[[], bytes]:
    """A file of the shipped model."""
    return lambda: (WORDS / name).read_bytes()


def card() -> bytes:
    """A model card."""
    names = ("id", "summary", "trained_on", "calibrated_on", "tested_on", "limits")
    return json.dumps(dict.fromkeys(names, "x")).encode()


def findings() -> bytes:
    """Findings of a failed page."""
    from handshift.core.errors import PageError
    from handshift.report.findings_record import failure_record, run_json

    return run_json(DEFAULT, [failure_record(PageError("a.png", "is empty"))]).encode()


def iiif() -> bytes:
    """A manifest within a collection, as far as a file can hold both."""
    image = {
        "@id": "https://a.b/c/full/max/0/default.jpg",
        "service": {"@id": "https://a.b/c", "profile": "x"},
    }
    canvas = {"@id": "c", "label": {"en": ["p. 1"]}, "width": 900, "images": [{"resource": image}]}
    body = {"type": "Canvas", "id": "d", "items": [{"items": [{"body": {"id": "file"}}]}]}
    manifest = {"@type": "sc:Manifest", "@id": "m", "sequences": [{"canvases": [canvas]}], "items": [body]}
    return json.dumps(manifest | {"members": [{"id": "https://a.b/m", "type": "Manifest"}]}).encode()


def packed(kind: str) -> bytes:
    """A zip or tar file of two scans."""
    file = io.BytesIO()
    names = ("a/1.png", "2.png")
    if kind == "zip":
        with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as out:
            for name in names:
                out.writestr(name, picture("PNG")[:200])
    else:
        with tarfile.open(fileobj=file, mode="w:xz") as tar:
            for name in names:
                about = tarfile.TarInfo(name)
                about.size = 200
                tar.addfile(about, io.BytesIO(picture("PNG")))
    return file.getvalue()


def scope_fit() -> bytes:
    """A fitted scope."""
    script = {"centre": [0.1], "scale": [1.0], "weights": {"b": [0.1, 0.2]}, "threshold": 1.0}
    rows: dict[str, object] = {"script": script, "centre": [1.0, 2.0]}
    rows |= {"precision": [[1.0, 0.1], [0.1, 1.0]], "distances": [0.5, 1.5], "distance_threshold": 4.0}
    return json.dumps(rows | {"false_alarms": 0.01, "databases": {"a": 3}}).encode()


def store_pages() -> bytes:
    """A segment of a store of vectors of two numbers."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from handshift.store.page_entry import HandEntry, PageEntry, schema

    vector = np.ones(2, np.float32)
    page = PageEntry(
        "a.png", "0", 1, 5, vector, 0.2, (HandEntry("A", 5, vector, 0.2),), {"reasons": []}, b"j"
    )
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([page.row()], schema=schema(pa, 2)), file)
    return file.getvalue()


def health_map(suffix: str) -> bytes:
    """A map of 6 by 5 teeth."""
    from handshift.healthmap.health_map import encode_map

    return encode_map(np.linspace(0.1, 1.0, 30).reshape(6, 5), Path(f"a{suffix}"))


def weights() -> bytes:
    """Weights of a network as safetensors."""
    from safetensors.numpy import save

    return save({"a": np.arange(6.0, dtype=np.float32).reshape(2, 3), "b": np.zeros(1, np.int64)})


def gallery() -> bytes:
    """The table of a gallery; its vectors lie beside it."""
    entry = {"name": "a", "source": "a.png", "sha256": "0", "page": 1, "words": 3}
    table = {"handshift": "gallery", "model": "m", "fingerprint": "f", "cut": "page", "pages": [entry]}
    return json.dumps(table | {"vectors": "vectors-0000000000000000.npy"}).encode()


def bag_record() -> bytes:
    """How bags were made."""
    rows = {"options": {}, "vectors": "v", "fingerprint": "f", "before": {}, "after": {"train": {}}}
    return json.dumps(rows).encode()


SPLIT = json.dumps({"corpus": "c", "seed": 1, "parts": {"train": ["a", "b"], "test": ["c"]}}).encode()
MANIFEST = b"path,writer,session\nfile,a,1\nfile,b,x\n"
