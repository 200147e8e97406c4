"""Recordings of every format are read as samples × sensors, recognised by content."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from scipy.io import savemat, wavfile

from handshift.core.errors import HandshiftError, MapError
from handshift.healthmap.vibration.description import RecordingDescription
from handshift.healthmap.vibration.recording import read_recording

RATE = 1000.0
SIGNAL = np.random.default_rng(0).normal(size=(500, 2))


def write_csv(path: Path) -> None:
    rows = [f"{number / RATE},{a},{b}" for number, (a, b) in enumerate(SIGNAL)]
    path.write_text("\n".join(["time,x,y", *rows]) + "\n")


def write_german_csv(path: Path) -> None:
    rows = [f"{number / RATE};{a:.9f};{b:.9f}".replace(".", ",") for number, (a, b) in enumerate(SIGNAL)]
    path.write_text("\n".join(["Zeit;x;y", *rows]) + "\n")


def write_logger_csv(path: Path) -> None:
    """Two header lines, milliseconds rounded to 0.1, Latin-1, as a logger in a German plant exports."""
    rows = [f"{number:.1f};{a:.9f};{b:.9f}".replace(".", ",") for number, (a, b) in enumerate(SIGNAL)]
    head = ["Prüfstand 7, Getriebe", "Zeit [ms];a [m/s²];b [m/s²]"]
    path.write_bytes("\r\n".join([*head, *rows, ""]).encode("latin-1"))


def write_mat_of_rows(path: Path) -> None:
    savemat(path.with_suffix(".mat"), {"acc": SIGNAL.T, "fs": RATE})
    path.with_suffix(".mat").rename(path)


def write_mat(path: Path) -> None:
    savemat(path.with_suffix(".mat"), {"acc": SIGNAL, "fs": RATE, "note": "text"})
    path.with_suffix(".mat").rename(path)


def write_hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["data/acc"] = SIGNAL.T  # Matlab's columns are HDF5's rows
        file["data/fs"] = RATE
    content = bytearray(path.read_bytes())
    content[:10] = b"MATLAB 7.3"  # what Matlab writes into the user block
    path.write_bytes(bytes(content))


def write_wav(path: Path) -> None:
    wavfile.write(path, int(RATE), SIGNAL.astype(np.float32))


def write_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"time": np.arange(500) / RATE, "x": SIGNAL[:, 0], "y": SIGNAL[:, 1]}
    pq.write_table(pa.table(columns), path)


def write_tdms(path: Path) -> None:
    from nptdms import ChannelObject, TdmsWriter

    step = {"wf_increment": 1 / RATE}
    with TdmsWriter(str(path)) as writer:
        writer.write_segment(
            [ChannelObject("acc", name, SIGNAL[:, at], properties=step) for at, name in enumerate("xy")]
        )


def write_uff(path: Path) -> None:
    """Universal file format, data set 58 in ASCII, as the standard lays it out."""
    axis = f"{0:10}{0:5}{0:5}{0:5} {'NONE':20} {'NONE':20}\n"
    node = f"{'NONE':>10}{1:10}{1:4}"
    sets = []
    for at in range(2):
        head = f"    -1\n    58\nsensor {at + 1}\n" + 4 * "NONE\n"
        head += f"{1:5}{0:10}{0:5}{0:10} {node} {node}\n"
        head += f"{2:10}{500:10}{1:10}{0:13.5e}{1 / RATE:13.5e}{0:13.5e}\n"
        rows = ["".join(f"{value:13.5e}" for value in SIGNAL[n : n + 6, at]) for n in range(0, 500, 6)]
        sets.append(head + 4 * axis + "\n".join(rows) + "\n    -1\n")
    path.write_text("".join(sets))


def write_binary_uff(path: Path) -> None:
    """Data set 58b: the header in text, the ordinates as little-endian doubles."""
    axis = f"{0:10}{0:5}{0:5}{0:5} {'NONE':20} {'NONE':20}\n"
    node = f"{'NONE':>10}{1:10}{1:4}"
    sets = []
    for at in range(2):
        head = f"    -1\n    58b{1:6}{2:6}{11:12}{8 * 500:12}{0:6}{0:6}{0:12}{0:12}\n"
        head += f"{f'sensor {at + 1}':80}\n" + 4 * f"{'NONE':80}\n"
        head += f"{1:5}{0:10}{0:5}{0:10} {node} {node}\n"
        head += f"{4:10}{500:10}{1:10}{0:13.5e}{1 / RATE:13.5e}{0:13.5e}\n"
        sets.append((head + 4 * axis).encode() + SIGNAL[:, at].astype("<f8").tobytes() + b"    -1\n")
    path.write_bytes(b"".join(sets))


WRITERS: list[Callable[[Path], None]] = [
    write_csv, write_german_csv, write_logger_csv, write_mat, write_mat_of_rows, write_hdf5, write_wav,
    write_parquet, write_tdms, write_uff, write_binary_uff,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__.removeprefix("write_"))
def test_every_format_is_read_by_content_not_by_name(write: Callable[[Path], None], tmp_path: Path) -> None:
    path = tmp_path / "h1.recording"
    write(path)
    recording = read_recording(path)
    assert recording.rate == pytest.approx(RATE, rel=1e-3)
    np.testing.assert_allclose(recording.signal, SIGNAL, atol=1e-4)


def test_a_wrong_file_is_recognised_by_its_format(tmp_path: Path) -> None:
    (tmp_path / "notes.csv").write_bytes(b"Dear all,\nthe gearbox\nis loud\nagain\n")
    with pytest.raises(MapError, match="neither CSV, MAT, WAV"):
        read_recording(tmp_path / "notes.csv", RATE)
    (tmp_path / "cut.csv").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(MapError, match="cannot be read as Parquet"):
        read_recording(tmp_path / "cut.csv", RATE)
    with ZipFile(tmp_path / "book.csv", "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(MapError, match="an Excel workbook; save the sheet as CSV"):
        read_recording(tmp_path / "book.csv", RATE)
    with pytest.raises(MapError, match="cannot be read"):
        read_recording(tmp_path / "missing.wav", RATE)


def test_a_table_with_a_gap_in_a_column_names_the_file(tmp_path: Path) -> None:
    rows = [f"{a},{b}" for a, b in SIGNAL]
    rows[400] = "0.1"
    (tmp_path / "gap.csv").write_text("\n".join(rows) + "\n")
    with pytest.raises(MapError, match="cannot be read as CSV"):
        read_recording(tmp_path / "gap.csv", RATE)


def test_times_of_pulses_have_a_length_of_their_own(tmp_path: Path) -> None:
    pulses = np.arange(0, 0.5, 0.02)
    savemat(tmp_path / "h1.mat", {"acc": SIGNAL, "fs": RATE, "pulse": pulses[:, None]})
    (tmp_path / "rig.yaml").write_text("tacho: {channel: pulse, kind: times, pulses_per_turn: 5}\n")
    recording = read_recording(tmp_path / "h1.mat", None, RecordingDescription.load(tmp_path / "rig.yaml"))
    assert recording.tacho is not None
    np.testing.assert_allclose(recording.tacho, pulses[::5])
    assert recording.signal.shape == (500, 2)


def test_a_format_whose_package_is_missing_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tdms(tmp_path / "h1.tdms")
    monkeypatch.setitem(sys.modules, "nptdms", None)
    with pytest.raises(HandshiftError, match=r"TDMS needs nptdms.*handshift\[recordings\]"):
        read_recording(tmp_path / "h1.tdms")


def test_a_description_gives_rate_sensors_and_tacho(tmp_path: Path) -> None:
    pulses = (np.arange(500) / 50.3 % 1 < 0.5).astype(float)  # one rising edge a turn, 50.3 samples apart
    np.savez(tmp_path / "h1.npz", acc=SIGNAL, pulse=pulses)
    (tmp_path / "rig.yaml").write_text(
        "sample_rate: 1000\nsensors: [acc2]\ntacho: {channel: pulse}\ngear: {teeth: [31, 95], speed: 4}\n"
    )
    description = RecordingDescription.load(tmp_path / "rig.yaml")
    assert description.gear.teeth == (31, 95)
    recording = read_recording(tmp_path / "h1.npz", description=description)
    np.testing.assert_array_equal(recording.signal[:, 0], SIGNAL[:, 1])
    assert recording.tacho is not None
    assert np.diff(recording.tacho) == pytest.approx(np.full(len(recording.tacho) - 1, 0.0503), abs=0.0011)
    (tmp_path / "rig.yaml").write_text("sensors: [acc9]\n")
    with pytest.raises(MapError, match="no channel 'acc9'; it has acc1, acc2, pulse"):
        read_recording(tmp_path / "h1.npz", RATE, RecordingDescription.load(tmp_path / "rig.yaml"))
    (tmp_path / "rig.yaml").write_text("gear: {speed: -1}\n")
    with pytest.raises(MapError, match=r"gear\.speed"):
        RecordingDescription.load(tmp_path / "rig.yaml")
