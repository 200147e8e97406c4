"""The queue: jobs run one after the other; each finished page is stored before the next begins."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError

from handshift.core.errors import HandshiftError
from handshift.web import audit_log
from handshift.web.compute import PageSource
from handshift.web.compute_process import ComputeProcess
from handshift.web.database import Database
from handshift.web.events import EventStream
from handshift.web.exports import summary_of
from handshift.web.file_removal import remove_unnamed
from handshift.web.file_store import FileStore
from handshift.web.machine_jobs import KINDS, MachineJobs
from handshift.web.tables import Exhibit, ExhibitPage, Job, now

MOST_ATTEMPTS = 3
"""A job during which the server died that often is given up: its file may be the cause."""


class JobRunner:
    """Takes queued jobs from the database until it is stopped.

    Args:
        database: Where jobs and results are kept.
        files: The file store.
        models: Folder of the machines' models.
        compute: The process that computes.
        events: Told of every step.
    """

    def __init__(
        self, database: Database, files: FileStore, models: Path, compute: ComputeProcess, events: EventStream
    ) -> None:
        self._machines = MachineJobs(database, files, models, compute, events)
        self._database, self._files, self._compute, self._events = database, files, compute, events
        self._wake, self._stopping = threading.Event(), False
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)

    def start(self) -> None:
        """Queue again what was running when the server died, and begin."""
        with self._database.write() as session:
            for job in session.scalars(select(Job).where(Job.state == "running")):
                job.state = "queued" if job.attempts < MOST_ATTEMPTS else "failed"
                job.error = "" if job.state == "queued" else "the server died during this job three times"
                audit_log.append(
                    session, f"job.{job.state}", {"job": job.id, "attempts": job.attempts}, job.case_id
                )
        self._thread.start()

    def wake(self) -> None:
        """There is a new job."""
        self._wake.set()

    def stop(self) -> None:
        """End after the step in hand; the job goes on at the next start."""
        self._stopping = True
        self._wake.set()
        self._compute.close()
        self._thread.join(10)

    def _run(self) -> None:
        self._warm()
        while not self._stopping:
            try:
                job_id = self._next()
            except SQLAlchemyError:  # the database is away for a moment, or for good where the server ends
                job_id = None
            if job_id is None:
                self._wake.wait(5)
                self._wake.clear()
                continue
            try:
                self._execute(job_id)
            except HandshiftError as error:
                self._fail(job_id, str(error))
            except Exception as error:  # the queue goes on whatever one job does
                self._fail(job_id, f"unexpected {type(error).__name__}: {error}")

    def _fail(self, job_id: int, error: str) -> None:
        """Say what went wrong; where that cannot be stored, the job begins again at the next start."""
        if not self._stopping:
            with suppress(SQLAlchemyError):
                self._finish(job_id, error=error)

    def _warm(self) -> None:
        try:
            self._compute.call("warm")
        except HandshiftError:  # the first job will say what is wrong
            return

    def _next(self) -> int | None:
        with self._database.write() as session:
            job = session.scalars(select(Job).where(Job.state == "queued").order_by(Job.id).limit(1)).first()
            if job is None:
                return None
            job.state, job.attempts = "running", job.attempts + 1
        self._publish(job)
        return job.id

    def _execute(self, job_id: int) -> None:
        with self._database.read() as session:
            job = session.get(Job, job_id)
            if job is None:  # its case was deleted
                return
            kind, arguments, machine_id = job.kind, dict(job.arguments), job.machine_id
        if kind in KINDS and machine_id is not None:
            found = self._machines.run(kind, machine_id, partial(self._progress, job_id))
            self._finish(job_id, result=found)
        elif kind == "examine":
            self._examine(job_id, int(arguments["exhibit"]))
        elif kind == "document":
            self._document(job_id, [int(page) for page in arguments["pages"]])
        else:
            self._compare(job_id, arguments)

    def _examine(self, job_id: int, exhibit_id: int) -> None:
        with self._database.read() as session:
            exhibit = session.get(Exhibit, exhibit_id)
            if exhibit is None:
                return self._finish(job_id, error="the exhibit was removed")
            path, name = str(self._files.path(exhibit.sha256)), exhibit.name
            finished = [page.number for page in exhibit.pages]
        found = self._compute.call(
            "examine",
            path,
            name,
            finished,
            on_message=lambda sent: self._store_page(job_id, exhibit_id, sent["page"]),
        )
        self._finish(job_id, result=found, total=found["pages"])
        return None

    def _store_page(self, job_id: int, exhibit_id: int, found: dict[str, Any]) -> None:
        with self._database.write() as session:
            exhibit, job = session.get(Exhibit, exhibit_id), session.get(Job, job_id)
            if exhibit is None or job is None:
                remove_unnamed(session, self._files, {found["image"]} if found.get("image") else set())
                raise HandshiftError("the exhibit was removed while it was examined")
            record = found.get("record")
            page = ExhibitPage(
                exhibit_id=exhibit_id,
                number=found["number"],
                image=found.get("image", ""),
                width=found.get("width", 0),
                height=found.get("height", 0),
                error=found.get("error", ""),
                computed=record,
                run=found.get("run"),
                vectors=found.get("vectors"),
            )
            page.summary = summary_of(page)
            session.add(page)
            job.done += 1
            details = {"exhibit": exhibit.number, "page": found["number"] + 1, "sha256": exhibit.sha256}
            if record is not None:
                details |= {"model": found["run"]["settings"]["model"], "log10_lr": record["log10_lr"]}
                details |= {"hands": record["hands"], "words": len(record["words"])}
            else:
                details |= {"error": page.error}
            audit_log.append(session, "page.examined", details, exhibit.case_id)
            session.flush()
            event = {"page": page.id, "exhibit": exhibit_id, "case": exhibit.case_id}
        self._events.publish("page", event)
        self._publish(job)

    def _document(self, job_id: int, page_ids: list[int]) -> None:
        sources = []
        with self._database.read() as session:
            for page_id in page_ids:
                page = session.get(ExhibitPage, page_id)
                if page is not None and page.image:
                    sources.append(source_of(page))
        if not sources:
            return self._finish(job_id, error="none of the pages can be read")
        found = self._compute.call(
            "document", sources, on_message=lambda sent: self._progress(job_id, sent["done"], len(sources))
        )
        self._finish(job_id, result=found | {"page_ids": page_ids}, total=len(sources))
        return None

    def _compare(self, job_id: int, arguments: dict[str, Any]) -> None:
        sides = []
        with self._database.read() as session:
            for side in ("questioned", "known"):
                exhibits = [session.get(Exhibit, int(one)) for one in arguments[side]]
                sides.append(
                    {str(self._files.path(one.sha256)): f"{one.number} {one.name}" for one in exhibits if one}
                )
        self._finish(job_id, result=self._compute.call("people.compare", *sides), total=1)

    def _progress(self, job_id: int, done: int, total: int) -> None:
        with self._database.write() as session:
            job = session.get(Job, job_id)
            if job is not None:
                job.done, job.total = done, total
        if job is not None:
            self._publish(job)

    def _finish(
        self, job_id: int, result: dict[str, Any] | None = None, error: str = "", total: int = 0
    ) -> None:
        with self._database.write() as session:
            job = session.get(Job, job_id)
            if job is None:
                return
            job.state, job.error, job.result, job.finished = (
                "failed" if error else "done",
                error,
                result,
                now(),
            )
            job.total = job.done = total or job.done
            details = {"job": job.id, "kind": job.kind, **({"error": error} if error else {})}
            audit_log.append(session, f"job.{job.state}", details, job.case_id)
        self._publish(job)

    def _publish(self, job: Job) -> None:
        owner = {"case": job.case_id, "machine": job.machine_id}
        state = owner | {"id": job.id, "kind": job.kind, "state": job.state, "done": job.done}
        self._events.publish("job", state | {"total": job.total, "error": job.error})


def source_of(page: ExhibitPage) -> PageSource:
    """Where a page's pixels lie, with the corrections that stand."""
    changes = tuple(correction.change for correction in page.corrections if correction.undone is None)
    exhibit, vectors = page.exhibit, page.vectors or b""
    return PageSource(page.image, exhibit.name, exhibit.sha256, page.number, changes, vectors)
