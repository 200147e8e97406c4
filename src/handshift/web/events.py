"""Server-sent events: what happens in threads reaches every open page."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

WAITING = 256
"""Events kept for a slow page; older ones are dropped, and the page asks anew."""
HEARTBEAT = 15.0


class EventStream:
    """Publishes events from any thread to all subscribers."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._subscribers: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Queue[str]]] = {}
        self._closed = False

    def publish(self, kind: str, content: dict[str, Any]) -> None:
        """Send an event to every open page.

        Args:
            kind: Name of the event: job, page or case.
            content: JSON values.
        """
        text = f"event: {kind}\ndata: {json.dumps(content, ensure_ascii=False)}\n\n"
        with self._lock:
            subscribers = list(self._subscribers.values())
        for loop, queue in subscribers:
            loop.call_soon_threadsafe(_put, queue, text)

    def close(self) -> None:
        """End all streams, so that the server can stop."""
        self._closed = True
        with self._lock:
            subscribers = list(self._subscribers.values())
        for loop, queue in subscribers:
            loop.call_soon_threadsafe(_put, queue, "")

    async def subscribe(self) -> AsyncIterator[str]:
        """Text of the stream, with a comment line now and then so that a lost connection is noticed."""
        queue: asyncio.Queue[str] = asyncio.Queue(WAITING)
        with self._lock:
            self._subscribers[id(queue)] = (asyncio.get_running_loop(), queue)
        try:
            yield ": connected\n\n"
            while not self._closed:
                try:
                    text = await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    text = ": alive\n\n"
                if not text:
                    return
                yield text
        finally:
            with self._lock:
                self._subscribers.pop(id(queue), None)


def _put(queue: asyncio.Queue[str], text: str) -> None:
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(text)
