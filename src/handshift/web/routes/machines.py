"""Machines: their recordings and maps, what is normal, scores and trend."""

from __future__ import annotations

import csv
import io
import shutil
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, HTTPException, Path, Query, Response, UploadFile
from sqlalchemy import func, select

from handshift.web import audit_log
from handshift.web.file_removal import remove_unnamed
from handshift.web.machine_jobs import add_file, queue_job
from handshift.web.machine_trend import trend
from handshift.web.reader_language import in_reader_language
from handshift.web.requests import FileChange, MachineChange, NewMachine
from handshift.web.routes.cases import job_record
from handshift.web.routes.request_context import ERRORS, Bench, Examiner, Id, require
from handshift.web.tables import Job, Machine, MachineFile
from handshift.web.uploads import plain_file_name, read_upload

router = APIRouter(prefix="/api", tags=["machines"], responses=ERRORS)
MOST_FILES = 500


@router.get("/machines")
def list_machines(bench: Bench) -> list[dict[str, Any]]:
    """All machines, newest first."""
    with bench.database.read() as session:
        counts = dict(
            session.execute(
                select(MachineFile.machine_id, func.count()).group_by(MachineFile.machine_id)
            ).all()
        )
        machines = session.scalars(select(Machine).order_by(Machine.id.desc()))
        return [_machine(machine) | {"files": counts.get(machine.id, 0)} for machine in machines]


@router.post("/machines", status_code=201)
def add_machine(wanted: NewMachine, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Add a machine."""
    with bench.database.write() as session:
        machine = Machine(name=wanted.name, notes=wanted.notes, gear=wanted.gear.plain())
        session.add(machine)
        session.flush()
        details = {"machine": machine.name, "gear": machine.gear}
        audit_log.append(session, "machine.added", details, None, examiner)
        return _machine(machine)


@router.post("/machines/demo", status_code=201)
def add_demo_machine(bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Add a simulated gearbox whose planet tooth breaks slowly."""
    from handshift.web.demo_machine import GEAR

    with bench.database.write() as session:
        machine = Machine(name="Simulated gearbox", gear=dict(GEAR), demo=True)
        session.add(machine)
        session.flush()
        details = {"machine": machine.name, "gear": machine.gear, "demo": True}
        audit_log.append(session, "machine.added", details, None, examiner)
        queue_job(session, machine.id, "simulate")
    bench.jobs.wake()
    return _machine(machine)


@router.get("/machines/{machine_id}")
def show_machine(machine_id: Id, bench: Bench) -> dict[str, Any]:
    """A machine with its files, trend and jobs."""
    with bench.database.read() as session:
        machine = require(session, Machine, machine_id)
        jobs = session.scalars(select(Job).where(Job.machine_id == machine_id).order_by(Job.id))
        return _machine(machine) | {
            "files": [_file(file) for file in machine.files],
            "trend": trend(machine.files, machine.reference),
            "jobs": [job_record(job) for job in jobs],
        }


@router.patch("/machines/{machine_id}")
def change_machine(machine_id: Id, wanted: MachineChange, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Change name, notes or gear data; with other gear data everything has to be learnt again."""
    with bench.database.write() as session:
        machine = require(session, Machine, machine_id)
        changes = wanted.model_dump(exclude_none=True, exclude={"gear"})
        for name, value in changes.items():
            setattr(machine, name, value)
        if wanted.gear is not None and wanted.gear.plain() != machine.gear:
            changes["gear"] = machine.gear = wanted.gear.plain()
            machine.reference = None
            for file in machine.files:
                file.record, file.error = None, ""
        audit_log.append(session, "machine.changed", {"machine": machine.name, **changes}, None, examiner)
        return _machine(machine)


@router.delete("/machines/{machine_id}", status_code=204)
def delete_machine(
    machine_id: Id, bench: Bench, examiner: Examiner, confirm: Annotated[str, Query(max_length=200)] = ""
) -> None:
    """Delete a machine, its files, model and results; `confirm` repeats its name. The log keeps its name."""
    with bench.database.write() as session:
        machine = require(session, Machine, machine_id)
        if confirm != machine.name:
            raise HTTPException(400, "to delete a machine, repeat its name in `confirm`")
        for job in session.scalars(select(Job).where(Job.machine_id == machine_id)):
            session.delete(job)
        digests = {file.sha256 for file in machine.files}
        session.delete(machine)
        removed = remove_unnamed(session, bench.files, digests)
        details = {"machine": machine.name, "files_removed": removed}
        audit_log.append(session, "machine.deleted", details, None, examiner)
    shutil.rmtree(bench.machine_models / str(machine_id), ignore_errors=True)


@router.post("/machines/{machine_id}/files", status_code=201)
def add_files(
    machine_id: Id,
    bench: Bench,
    examiner: Examiner,
    files: Annotated[list[UploadFile], File()],
    normal: bool = False,
) -> list[dict[str, Any]]:
    """Add recordings or maps, to be learnt from (`normal`) or to be scored in turn."""
    if len(files) > MOST_FILES:
        raise HTTPException(413, f"at most {MOST_FILES} files at once")
    added = []
    for upload in files:
        name, content = plain_file_name(upload.filename), read_upload(upload, bench.settings.max_upload)
        digest = bench.files.add(content)
        with bench.database.write() as session:
            machine = require(session, Machine, machine_id)
            same = next((file for file in machine.files if file.sha256 == digest), None)
            if same is not None:
                added.append(_file(same) | {"duplicate": True})
                continue
            file = add_file(session, machine, name, digest, len(content), normal, examiner)
            if not normal and machine.reference is not None:
                queue_job(session, machine_id, "score")
            added.append(_file(file))
    bench.jobs.wake()
    return added


@router.post("/machines/{machine_id}/learn", status_code=202)
def learn(machine_id: Id, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Learn what is normal from the normal files, then score all others again."""
    with bench.database.write() as session:
        machine = require(session, Machine, machine_id)
        if not any(file.normal for file in machine.files):
            raise HTTPException(400, "add recordings or maps of the healthy machine first")
        job = queue_job(session, machine_id, "learn")
        audit_log.append(session, "machine.learn_asked", {"machine": machine.name}, None, examiner)
        record = job_record(job)
    bench.jobs.wake()
    return record


@router.get("/machines/{machine_id}/scores.csv", response_class=Response)
def export_scores(machine_id: Id, bench: Bench) -> Response:
    """The scores of all watched files as a table."""
    with bench.database.read() as session:
        machine = require(session, Machine, machine_id)
        rows = trend(machine.files, machine.reference)["points"]
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["file", "index", "flagged", "alarm", "tooth", "error"])
    for row in rows:
        name = f"'{row['name']}" if row["name"][:1] in "=+-@\t\r" else row["name"]
        index = "" if row["index"] is None else f"{row['index']:.4f}"
        table.writerow(
            [name, index, int(row["flagged"]), int(row["alarm"]), row["tooth"] or "", row["error"]]
        )
    headers = {"Content-Disposition": "attachment; filename=scores.csv"}
    return Response(out.getvalue().encode("utf-8-sig"), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/machine-files/{file_id}")
def show_file(file_id: Id, bench: Bench) -> dict[str, Any]:
    """A file with the scores of its sensors, profiles and spectra."""
    with bench.database.read() as session:
        file = require(session, MachineFile, file_id)
        return _file(file) | {"machine": file.machine_id, "record": file.record}


@router.get("/machine-files/{file_id}/{sensor}/{kind}.png", response_class=Response)
def show_picture(
    file_id: Id, sensor: Annotated[int, Path(ge=0, le=64)], kind: Literal["map", "overlay"], bench: Bench
) -> Response:
    """The map of a sensor in false colours, or with its anomaly laid over it."""
    with bench.database.read() as session:
        file = require(session, MachineFile, file_id)
        sensors = (file.record or {}).get("sensors", [])
        if not 0 <= sensor < len(sensors):
            raise HTTPException(404, "the file has no such sensor, or is not scored yet")
        path = bench.files.path(sensors[sensor][kind])
    return Response(path.read_bytes(), media_type="image/png", headers={"Cache-Control": "no-cache"})


@router.patch("/machine-files/{file_id}")
def change_file(file_id: Id, wanted: FileChange, bench: Bench, examiner: Examiner) -> dict[str, Any]:
    """Say whether a file is normal; what was learnt stays until it is learnt again."""
    with bench.database.write() as session:
        file = require(session, MachineFile, file_id)
        file.normal, file.record, file.error = wanted.normal, None, ""
        details = {"machine": file.machine.name, "file": file.name, "normal": wanted.normal}
        audit_log.append(session, "machine.file_changed", details, None, examiner)
        if not wanted.normal and file.machine.reference is not None:
            queue_job(session, file.machine_id, "score")
        shown = _file(file)
    bench.jobs.wake()
    return shown


@router.delete("/machine-files/{file_id}", status_code=204)
def remove_file(file_id: Id, bench: Bench, examiner: Examiner) -> None:
    """Remove a file; the log keeps its digest."""
    with bench.database.write() as session:
        file = require(session, MachineFile, file_id)
        details: dict[str, Any] = {"machine": file.machine.name, "file": file.name, "sha256": file.sha256}
        session.delete(file)
        details["files_removed"] = remove_unnamed(session, bench.files, {file.sha256})
        audit_log.append(session, "machine.file_removed", details, None, examiner)


def _machine(machine: Machine) -> dict[str, Any]:
    fields = {name: getattr(machine, name) for name in ("id", "name", "notes", "gear", "reference", "demo")}
    return fields | {"created": machine.created.isoformat()}


def _file(file: MachineFile) -> dict[str, Any]:
    record = file.record or {}
    fields = {name: getattr(file, name) for name in ("id", "name", "sha256", "normal", "error")}
    fields["error"] = in_reader_language(file.error)
    return fields | {name: record.get(name) for name in ("index", "flagged", "tooth", "kind")}
