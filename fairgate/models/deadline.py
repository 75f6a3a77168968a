"""A limit in time for a call that cannot be interrupted."""

from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

Result = TypeVar("Result")


class OutOfTime(Exception):
    """The call had not returned when its time was up."""


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """The result of ``call``, or its exception, if it comes within so many seconds.

    Python cannot stop a thread: a call that is too late is abandoned in a daemon thread, which keeps no process alive.

    :raises OutOfTime: when the time is up
    """
    outcome: SimpleQueue[tuple[Result, None] | tuple[None, BaseException]] = SimpleQueue()

    def run() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            outcome.put((None, error))

    Thread(target=run, daemon=True).start()
    try:
        result, error = outcome.get(timeout=seconds)
    except Empty:
        raise OutOfTime from None
    if error is not None:
        raise error
    return result  # type: ignore[return-value]  # mypy does not narrow the pair
