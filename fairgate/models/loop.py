"""One event loop for all calls of an async callable, so that they can share their clients."""

import asyncio
import contextlib
from collections.abc import Awaitable
from concurrent.futures import TimeoutError as Late
from threading import Lock, Thread
from typing import Any

from fairgate.models.deadline import OutOfTime

GRACE_S = 1.0
"""Seconds in which a loop that is not blocked does what it is told."""


class Loop:
    """A loop in a daemon thread, started by the first call. Used by several threads at once."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._lock = Lock()

    def result(self, awaitable: Awaitable[Any], seconds: float) -> Any:
        """What it returns or raises within so many seconds; then it is cancelled.

        :raises OutOfTime: when the time is up, also while somebody blocks the loop
        """
        future = asyncio.run_coroutine_threadsafe(_outcome(awaitable, seconds), self._running())
        try:
            value, error = future.result(seconds + GRACE_S)
        except Late:
            raise OutOfTime from None
        if error is not None:
            raise error
        return value

    def close(self) -> None:
        """End the loop, and what still runs in it; a second time nothing is left to end."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(GRACE_S)

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=_run, args=(self._loop,), daemon=True)
                self._thread.start()
            return self._loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    with contextlib.suppress(RuntimeError):  # a task that stops the loop itself
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


async def _outcome(awaitable: Awaitable[Any], seconds: float) -> tuple[Any, BaseException | None]:
    task = asyncio.ensure_future(_guarded(awaitable))
    done, _ = await asyncio.wait({task}, timeout=seconds)
    if not done:
        task.cancel()
        return None, OutOfTime()
    return task.result()


async def _guarded(awaitable: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """The outcome as a value: an exit that came through would end the loop, and every other call with it."""
    try:
        return await awaitable, None
    except asyncio.CancelledError:
        return None, RuntimeError("the call was cancelled")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - somebody's code; it costs one answer
        return None, error
