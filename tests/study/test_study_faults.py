"""A run of a study on a failing disk is one error, and is finished by the same call."""

from __future__ import annotations

from pathlib import Path

import pytest
from tiny_study import tiny_study

from handshift.core.atomic import WriteError
from handshift.study.run_folders import StudyRun
from handshift.study.runner import StudyFolders, execute, planned_runs
from handshift.study.spec import StudySpec

STUDY = StudySpec.model_validate(tiny_study("faulty"))


def planned(folder: Path) -> StudyRun:
    return planned_runs(STUDY, StudyFolders(folder / "results", folder / "work"))[0]


def kept(run: StudyRun) -> tuple[bytes, bytes]:
    weights = run.folder / "training" / "weights-00000004.safetensors"
    return weights.read_bytes(), (run.folder / "items.parquet").read_bytes()


@pytest.mark.parametrize(("fault", "moment"), [("ENOSPC", 0.0), ("EROFS", 0.5), ("EIO", 1.0)])
def test_a_failing_disk_leaves_a_run_to_be_finished(tmp_path: Path, disk, fault: str, moment: float):
    whole = planned(tmp_path / "whole")
    execute(STUDY, whole, draft=True)
    at = 1 + round(moment * (disk.syncs - 1))
    run = planned(tmp_path / "faulty")
    disk.fail(fault, at)
    with pytest.raises(WriteError, match="cannot be written"):
        execute(STUDY, run, draft=True)
    assert not run.done
    disk.mend()
    execute(STUDY, run, draft=True)
    assert run.done and kept(run) == kept(whole)
    assert not list(run.folder.rglob("*.part"))
