"""The server from settings to its last request."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from handshift.core.errors import HandshiftError
from handshift.core.folder_lock import locked
from handshift.web.app import create_app
from handshift.web.settings import ServerSettings


def run_server(settings: ServerSettings, browser: bool, show: Callable[[str], None]) -> None:
    """Serve until Ctrl-C.

    Args:
        settings: How the server runs.
        browser: Whether the page is opened in the user's browser.
        show: Receives the address to print, with the token where there is one.

    Raises:
        HandshiftError: The address is taken, or another server works in the folder.
    """
    listening = _listening(settings)
    settings = replace(settings, port=listening.getsockname()[1])
    address = _address(settings)
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(settings), log_level="warning", timeout_graceful_shutdown=5, server_header=False
        )
    )
    with locked(settings.folder):
        show(address)
        if browser:
            # After the start, so that the first request is answered.
            threading.Timer(1.0, webbrowser.open, [f"{address}#/welcome"]).start()
        server.run(sockets=[listening])


def _listening(settings: ServerSettings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise HandshiftError(
            f"cannot listen on {settings.host}, port {settings.port} ({reason}); choose another with --port"
        ) from error
    return listening


def _address(settings: ServerSettings) -> str:
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(settings.host, settings.host)
    name = f"[{name}]" if ":" in name and not name.startswith("[") else name
    return f"http://{name}:{settings.port}/" + (f"?token={settings.token}" if settings.token else "")
