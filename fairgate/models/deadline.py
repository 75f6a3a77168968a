"""A limit in time for a call that cannot be interrupted."""

from collections import deque
from collections.abc import Callable
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, TypeVar

Result = TypeVar("Result")

_Outcome = SimpleQueue[tuple[Any, BaseException | None]]


class OutOfTime(Exception):
    """The call had not returned when its time was up."""


def within(seconds: float, call: Callable[[], Result]) -> Result:
    """The result of ``call``, or its exception, if it comes within so many seconds.

    Python cannot stop a thread: a call that is too late is abandoned in a daemon thread, which keeps no process alive.

    :raises OutOfTime: when the time is up
    """
    outcome: _Outcome = SimpleQueue()
    try:
        runner = _idle.pop()
    except IndexError:
        runner = _Runner()
    runner.work.put((call, outcome))
    try:
        result, error = outcome.get(timeout=seconds)
    except Empty:
        raise OutOfTime from None
    if error is not None:
        raise error
    return result  # type: ignore[no-any-return]  # of this call


class _Runner:
    """A daemon thread that makes one call after another; one whose call is late is idle again when it returns."""

    def __init__(self) -> None:
        self.work: SimpleQueue[tuple[Callable[[], Any], _Outcome]] = SimpleQueue()
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        while True:
            outcome, said = self._call()
            _idle.append(self)
            outcome.put(said)
            del outcome, said  # nothing of a call outlives it

    def _call(self) -> tuple[_Outcome, tuple[Any, BaseException | None]]:
        call, outcome = self.work.get()
        try:
            return outcome, (call(), None)
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            return outcome, (None, error)


_idle: deque[_Runner] = deque()
