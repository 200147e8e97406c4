"""Jobs of machines: simulate the guided one, learn what is normal, score files one by one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from handshift.core.errors import HandshiftError
from handshift.web import audit_log
from handshift.web.compute_process import ComputeDiedError, ComputeProcess
from handshift.web.database import Database
from handshift.web.events import EventStream
from handshift.web.file_store import FileStore
from handshift.web.machine_compute import MachineSource
from handshift.web.tables import Job, Machine, MachineFile

KINDS = ("simulate", "learn", "score")
TARGET = 0.01
"""Share of normal maps that may be flagged, as of `handshift maps train`."""
Progress = Callable[[int, int], None]


class MachineJobs:
    """Runs the jobs of machines.

    Args:
        database: Where machines and results are kept.
        files: The file store.
        models: Folder of the machines' models.
        compute: The process that computes.
        events: Told of every scored file.
    """

    def __init__(
        self, database: Database, files: FileStore, models: Path, compute: ComputeProcess, events: EventStream
    ) -> None:
        self._database, self._files, self._models = database, files, models
        self._compute, self._events = compute, events

    def run(self, kind: str, machine_id: int, progress: Progress) -> dict[str, Any]:
        """Run one job.

        Args:
            kind: One of `KINDS`.
            machine_id: Whose.
            progress: Receives what is done and how much there is.

        Returns:
            The job's result.
        """
        work = {"simulate": self._simulate, "learn": self._learn, "score": self._score}[kind]
        return work(machine_id, progress)

    def _simulate(self, machine_id: int, progress: Progress) -> dict[str, Any]:
        from handshift.web.demo_machine import NORMAL, WATCHED

        def store(sent: dict[str, Any]) -> None:
            file = sent["file"]
            with self._database.write() as session:
                machine = session.get(Machine, machine_id)
                if machine is None:
                    raise HandshiftError("the machine was deleted meanwhile")
                # A job that goes on after a crash simulates the same recordings again.
                if all(one.sha256 != file["sha256"] for one in machine.files):
                    add_file(session, machine, file["name"], file["sha256"], file["bytes"], file["normal"])
                done = len(machine.files)
            progress(done, NORMAL + WATCHED)

        found: dict[str, Any] = self._compute.call("machines.simulate", machine_id, on_message=store)
        with self._database.write() as session:
            queue_job(session, machine_id, "learn")
        return found

    def _learn(self, machine_id: int, progress: Progress) -> dict[str, Any]:
        with self._database.read() as session:
            machine = self._machine(session, machine_id)
            sources = [self._source(file) for file in machine.files if file.normal]
        if not sources:
            raise HandshiftError("there are no normal files to learn from")
        reference: dict[str, Any] = self._compute.call(
            "machines.learn",
            sources,
            str(self._models / str(machine_id)),
            TARGET,
            on_message=lambda sent: progress(sent["done"], len(sources)),
        )
        with self._database.write() as session:
            machine = self._machine(session, machine_id)
            machine.reference = reference
            failed = {one["name"]: one["error"] for one in reference["failures"]}
            for file in machine.files:
                file.record, file.error = None, failed.get(file.name, "") if file.normal else ""
            about = {name: reference[name] for name in ("detector", "encoder", "maps", "held_out", "target")}
            audit_log.append(session, "machine.learnt", {"machine": machine.name, **about})
            if any(not file.normal for file in machine.files):
                queue_job(session, machine_id, "score")
        return {"maps": reference["maps"]}

    def _score(self, machine_id: int, progress: Progress) -> dict[str, Any]:
        scored = 0
        while True:
            with self._database.read() as session:
                machine = self._machine(session, machine_id)
                watched = [file for file in machine.files if not file.normal]
                waiting = [file for file in watched if file.record is None and not file.error]
                progress(len(watched) - len(waiting), len(watched))
                if not waiting or machine.reference is None:
                    return {"scored": scored}
                file_id, source, reference = waiting[0].id, self._source(waiting[0]), machine.reference
            record, problem = None, ""
            try:
                record = self._compute.call(
                    "machines.score", source, str(self._models / str(machine_id)), reference
                )
                scored += 1
            except ComputeDiedError:
                raise
            except HandshiftError as error:
                problem = str(error)
            self._store(file_id, record, problem)

    def _store(self, file_id: int, record: dict[str, Any] | None, problem: str) -> None:
        with self._database.write() as session:
            file = session.get(MachineFile, file_id)
            if file is None:
                return
            file.record, file.error = record, problem
            about = {"machine": file.machine.name, "file": file.name, "sha256": file.sha256}
            if record is not None:
                about |= {"index": record["index"], "flagged": record["flagged"], "tooth": record["tooth"]}
            else:
                about |= {"error": problem}
            audit_log.append(session, "machine.scored", about)
            event = {"machine": file.machine_id, "file": file_id}
        self._events.publish("machine", event)

    def _source(self, file: MachineFile) -> MachineSource:
        return MachineSource(str(self._files.path(file.sha256)), file.name, dict(file.machine.gear))

    def _machine(self, session: Session, machine_id: int) -> Machine:
        machine = session.get(Machine, machine_id)
        if machine is None:
            raise HandshiftError("the machine was deleted meanwhile")
        return machine


def add_file(
    session: Session, machine: Machine, name: str, digest: str, size: int, normal: bool, examiner: str = ""
) -> MachineFile:
    """Add a file to a machine and log it."""
    position = max((file.position for file in machine.files), default=0) + 1
    file = MachineFile(machine_id=machine.id, name=name, sha256=digest, normal=normal, position=position)
    machine.files.append(file)
    session.flush()
    details = {"machine": machine.name, "name": name, "sha256": digest, "bytes": size, "normal": normal}
    audit_log.append(session, "machine.file_added", details, None, examiner)
    return file


def queue_job(session: Session, machine_id: int, kind: str) -> Job:
    """The job of this kind that waits, or a new one: it takes whatever is there when it begins."""
    waiting = session.scalars(
        select(Job).where(Job.machine_id == machine_id, Job.kind == kind, Job.state == "queued")
    ).first()
    if waiting is not None:
        return waiting
    job = Job(machine_id=machine_id, kind=kind, arguments={})
    session.add(job)
    session.flush()
    return job
