"""A real server process for tests that need one: started, waited for, and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any


class RunningServer:
    """`handshift serve` on a free port of loopback."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "handshift", "serve", "--no-browser", "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--folder", str(folder), *options],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        self.address = line.rpartition(": ")[2].strip().rstrip("/")
        self._wait()

    def ask(self, path: str, method: str = "GET", content: Any = None) -> Any:
        """The JSON answer to a request."""
        body = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.address + path, body, method=method)
        request.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(request, timeout=60) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def kill(self) -> None:
        """End it at once, as a power cut would; its computing processes too."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def _wait(self) -> None:
        until = time.monotonic() + 90
        while time.monotonic() < until:
            try:
                self.ask("/api/info")
                return
            except OSError:
                time.sleep(0.2)
        raise TimeoutError("the server did not start")
