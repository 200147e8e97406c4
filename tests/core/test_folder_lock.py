"""A folder has one writer, on every operating system."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from handshift.core.folder_lock import FolderBusyError, locked

HOLD = """
import sys, time
from pathlib import Path
from handshift.core.folder_lock import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_refused_until_the_first_is_killed(tmp_path: Path):
    holder = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    try:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(FolderBusyError, match="another run is writing here"), locked(tmp_path):
            pass
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    with locked(tmp_path, patience=5):
        pass


def test_the_lock_is_free_again_after_an_error_inside(tmp_path: Path):
    with pytest.raises(ZeroDivisionError), locked(tmp_path):
        raise ZeroDivisionError
    with locked(tmp_path):
        pass
