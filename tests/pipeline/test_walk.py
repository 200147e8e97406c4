"""One page goes through the rooms as docs/architecture.md writes it down."""

from __future__ import annotations

import re
import sys
import threading
from itertools import pairwise
from pathlib import Path
from types import FrameType

import handshift
from handshift.attribution.verdict import Verdict
from handshift.demo import TWO_HANDS
from handshift.pipeline.examiner import Examiner

PACKAGE = Path(handshift.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"


def calls_of_an_examination() -> list[tuple[str, str]]:
    """(module, function) of every call within the package while a page is examined, in order."""
    calls: list[tuple[str, str]] = []
    examiner = Examiner(threads=1)  # with more, calls have no order
    assert all(isinstance(one, Verdict) for one in examiner.examine_pages(TWO_HANDS))  # imports are done

    def record(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(PACKAGE):
            module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
            calls.append((module, frame.f_code.co_qualname))

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        list(examiner.examine_pages(TWO_HANDS))
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def test_a_page_is_walked_through_the_rooms_as_the_architecture_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    walk = text.partition("<!-- walk:begin -->")[2].partition("<!-- walk:end -->")[0]
    written = re.findall(r"^\| `([\w.]+)` \|", walk, re.MULTILINE)
    assert len(written) > 10
    calls = calls_of_an_examination()
    called = [f"{module}.{function}" for module, function in calls]
    assert [name for name in written if name not in called] == []
    assert written == sorted(written, key=called.index)

    files = {module for module, _ in calls}
    # core is every room's toolbox: a percentile or a session of ONNX is no station of the walk.
    rooms = [room for room in (module.split(".")[0] for module, _ in calls) if room != "core"]
    changes = sum(one != other for one, other in pairwise(rooms))
    limits = re.search(r"at most (\d+) files and changes rooms at most (\d+) times", " ".join(text.split()))
    assert limits is not None
    assert len(files) <= int(limits[1])
    assert changes <= int(limits[2])
