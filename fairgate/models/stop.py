"""The end of a run before its questions are answered: cancelled by a signal, or out of time."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from fairgate.models.protocol import Missing

SIGNALS = (signal.SIGINT, signal.SIGTERM)
CANCELLED = "cancelled"


class Stop:
    """Stops the asking of a whole run; the first reason stands. Safe to call from a signal handler and any thread."""

    def __init__(self) -> None:
        """Nothing has stopped yet."""
        self._missing: Missing | None = None
        self._waiting: list[Callable[[], None]] = []

    @property
    def missing(self) -> Missing | None:
        """What becomes of every question that is not answered; None while the run goes on."""
        return self._missing

    def because(self, reason: str, detail: str) -> None:
        """Ask nothing more, and wake whoever waits for an answer.

        :param reason: ``cancelled`` or ``budget_spent``
        """
        if self._missing is None:
            self._missing = Missing(reason, detail, asked=False)
        for wake in tuple(self._waiting):
            wake()

    @contextmanager
    def waking(self, wake: Callable[[], None]) -> Iterator[None]:
        """Within, ``wake`` is called when the run stops (at once, if it has)."""
        self._waiting.append(wake)
        try:
            if self._missing is not None:
                wake()
            yield
        finally:
            self._waiting.remove(wake)


@contextmanager
def on_signals(stop: Stop, say: Callable[[str], None]) -> Iterator[None]:
    """Within, the first SIGINT or SIGTERM stops the asking, so that what was seen is still reported; a second one ends
    the process as it always would. Only the main thread can do this; elsewhere nothing changes.

    :param say: tells whoever waits what happens now
    """

    def handle(number: int, frame: FrameType | None) -> None:
        restore()
        stop.because(CANCELLED, f"the run was cancelled ({signal.Signals(number).name}) before an answer came")
        say("stopping: what was seen is reported, the rest is missing; once more ends it at once")

    before: dict[signal.Signals, Any] = {}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    try:
        for number in SIGNALS:
            before[number] = signal.signal(number, handle)
    except ValueError:  # not the main thread
        yield
        return
    try:
        yield
    finally:
        restore()
