"""All that the server has at hand: settings, database, files, computation, queue and events."""

from __future__ import annotations

import threading

from handshift.core.errors import HandshiftError
from handshift.web.compute_process import ComputeProcess
from handshift.web.database import Database
from handshift.web.events import EventStream
from handshift.web.file_store import FileStore
from handshift.web.job_runner import JobRunner
from handshift.web.settings import ServerSettings


class Workbench:
    """Opened once for the life of a server.

    Args:
        settings: How the server runs.
    """

    def __init__(self, settings: ServerSettings) -> None:
        settings.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.settings = settings
        self.database = Database(settings.database_url)
        self.files = FileStore(settings.folder / "files")
        self.gallery = settings.folder / "gallery"
        self.machine_models = settings.folder / "machines"
        self.events = EventStream()
        # Two processes: a long job must not keep a person waiting who corrects a word.
        self.desk = ComputeProcess(settings.folder / "files", settings.model)
        queue = ComputeProcess(settings.folder / "files", settings.model)
        self.jobs = JobRunner(self.database, self.files, self.machine_models, queue, self.events)

    def open(self) -> None:
        """Begin with the queue, and load the model of the desk meanwhile."""
        self.jobs.start()
        threading.Thread(target=self._warm, name="warm", daemon=True).start()

    def _warm(self) -> None:
        try:
            self.desk.call("warm")
        except HandshiftError:  # the first request for a page reports it
            return

    def close(self) -> None:
        """End everything; jobs go on at the next start."""
        self.events.close()
        self.jobs.stop()
        self.desk.close()
        self.database.close()
