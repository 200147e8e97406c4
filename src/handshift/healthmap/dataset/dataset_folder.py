"""Writing a data set as a folder that appears only when complete."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from handshift.core.atomic import WriteError
from handshift.healthmap.dataset.map_dataset import GOOD
from handshift.healthmap.health_map import encode_map

TRUTH = "truth.csv"
ABOUT = "about.json"


class DatasetFolder:
    """``<domain>/{train,test}/{good,<defect>}/*.tif``, masks in ``ground_truth``, labels in ``truth.csv``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._truth: list[dict[str, Any]] = []
        self._made: set[Path] = set()

    def put(
        self,
        place: tuple[str, str, str],
        name: str,
        values: NDArray[np.floating],
        mask: NDArray[np.bool_] | None = None,
        **truth: object,
    ) -> None:
        """Add one map.

        Args:
            place: Domain, split and defect.
            name: File name without suffix.
            values: H×W.
            mask: Faulty pixels, H×W.
            truth: Further columns of ``truth.csv``.
        """
        domain, split, defect = place
        relative = Path(domain, split, defect, f"{name}.tif")
        self._write(relative, encode_map(values, relative))
        if mask is not None and defect != GOOD:
            png = cv2.imencode(".png", mask.astype(np.uint8) * 255)[1].tobytes()
            self._write(Path(domain, "ground_truth", defect, f"{name}_mask.png"), png)
        label = int(defect != GOOD)
        self._truth.append(
            {"path": relative.as_posix(), "domain": domain, "split": split, "label": label} | truth
        )

    def close(self, about: Mapping[str, object]) -> None:
        """Write ``truth.csv`` with one row for each map, and ``about.json``.

        Args:
            about: How the data set was made.
        """
        names = list(dict.fromkeys(name for row in self._truth for name in row))
        stream = StringIO()
        table = csv.DictWriter(stream, names, lineterminator="\n")
        table.writeheader()
        table.writerows(self._truth)
        self._write(Path(TRUTH), stream.getvalue().encode())
        self._write(Path(ABOUT), json.dumps(about, indent=2, ensure_ascii=False).encode())

    def _write(self, relative: Path, content: bytes) -> None:
        path = self.root / relative
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        path.write_bytes(content)  # not atomic: the whole folder is renamed in one step


@contextmanager
def new_dataset(out: Path) -> Iterator[DatasetFolder]:
    """Yield a folder to fill, and rename it to ``out`` at the end; an interrupted run leaves nothing.

    Raises:
        WriteError: ``out`` exists and is not empty, or cannot be written.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise WriteError(f"{out}: exists already. Choose another name, or remove it.")
    part = out.with_name(f".{out.name}.part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        yield DatasetFolder(part)
        if out.exists():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        raise WriteError(
            f"{out}: cannot be written ({error.strerror or error}). Is there room left?"
        ) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
