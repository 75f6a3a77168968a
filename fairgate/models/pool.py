"""Asks a system many questions at once, and turns every failure into missing evidence, here and nowhere else."""

import contextlib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from queue import SimpleQueue
from threading import Lock, Thread

from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from fairgate.errors import FairgateError
from fairgate.models.protocol import CallFailed, Missing, Question, Reply, System
from fairgate.world import World

Answer = Reply | Missing

LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause is not asked again."""
LONGEST_BACKOFF_S = 30.0
SILENT = ("unreachable", "timeout")
"""Nobody answers: after twice the concurrency of these in a row, and at least five, the system counts as down."""

_log = logging.getLogger(__name__)


def ask_all(
    system: System, questions: Iterable[Question], world: World, on_answer: Callable[[Question, Answer], None]
) -> dict[str, Answer]:
    """Ask every question, at most ``system.concurrency`` at a time.

    While this runs, stdout belongs to nobody: what a system prints goes to stderr.

    :param on_answer: called in the caller's thread, in the order in which answers come
    :returns: an answer or the reason for its absence by question id, in the order of the questions
    :raises FairgateError: when a question cannot even be put together
    """
    asked = list(questions)
    if len({question.id for question in asked}) != len(asked):
        raise ValueError("two questions of one run have the same id")
    answers: dict[str, Answer] = {}
    with contextlib.redirect_stdout(sys.stderr):
        for question, answer in _Pool(system, world).ask(asked):
            answers[question.id] = answer
            on_answer(question, answer)
    return {question.id: answers[question.id] for question in asked}


class _Pool:
    """Daemon threads over one list of questions: an interrupted run ends at once, however long a call still takes."""

    def __init__(self, system: System, world: World) -> None:
        self._system = system
        self._world = world
        self._lock = Lock()
        self._silent = 0
        self._closed: Missing | None = None
        self._abandoned = False

    def ask(self, questions: list[Question]) -> Iterator[tuple[Question, Answer]]:
        """Questions with their answers as they come."""
        results: SimpleQueue[tuple[Question, Answer | BaseException]] = SimpleQueue()
        todo = iter(questions)
        for _ in range(min(self._system.concurrency, len(questions))):
            Thread(target=self._work, args=(todo, results), daemon=True).start()
        try:
            for _ in questions:
                question, answer = results.get()
                if isinstance(answer, BaseException):
                    raise answer
                yield question, answer
        finally:
            self._abandoned = True

    def _work(self, todo: Iterator[Question], results: "SimpleQueue[tuple[Question, Answer | BaseException]]") -> None:
        while not self._abandoned:
            with self._lock:
                question = next(todo, None)
            if question is None:
                return
            try:
                results.put((question, self._answer(question)))
            except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which waits for it
                results.put((question, error))

    def _answer(self, question: Question) -> Answer:
        if self._closed is not None:
            return self._closed
        answer = self._call(question)
        self._watch(answer)
        return answer

    def _call(self, question: Question) -> Answer:
        started, attempts = self._world.clock(), 0
        failed: CallFailed | None = None
        try:
            for attempt in self._attempts():
                attempts = attempt.retry_state.attempt_number
                with attempt:
                    reply = self._system.send(question)
        except CallFailed as failure:
            failed = failure
        except FairgateError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug in fairgate; it costs one answer, shown as such, not the run
            _log.debug("a system's adapter failed", exc_info=error)
            failed = CallFailed("internal_error", f"a bug in fairgate, please report it: {type(error).__name__}")
        seconds = self._world.clock() - started
        if failed is None:
            return replace(reply, seconds=seconds, retries=attempts - 1)
        missing = Missing(failed.reason, _told(failed), attempts - 1, seconds, failed.asked)
        if failed.final:
            self._close(missing, missing.detail)
        return missing

    def _attempts(self) -> Retrying:
        return Retrying(
            retry=retry_if_exception(self._worth_another),
            stop=stop_after_attempt(self._system.retries + 1),
            wait=self._pause,
            sleep=self._world.sleep,
            reraise=True,
        )

    def _worth_another(self, error: BaseException) -> bool:
        if self._closed is not None or self._abandoned:
            return False
        return isinstance(error, CallFailed) and error.retryable and (error.retry_after or 0) <= LONGEST_WAIT_S

    def _pause(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked_for = error.retry_after if isinstance(error, CallFailed) else None
        return pause(state.attempt_number, asked_for, self._world.chance())

    def _watch(self, answer: Answer) -> None:
        """Count answers that did not come in a row; too many, and the rest is not asked."""
        silent = isinstance(answer, Missing) and answer.reason in SILENT
        with self._lock:
            self._silent = self._silent + 1 if silent else 0
            in_a_row = self._silent
        if isinstance(answer, Missing) and in_a_row >= max(5, 2 * self._system.concurrency):
            self._close(answer, f"{answer.detail} ({in_a_row} calls in a row; the rest was not asked)")

    def _close(self, missing: Missing, detail: str) -> None:
        with self._lock:
            if self._closed is None:
                self._closed = Missing(missing.reason, detail, asked=False)


def pause(attempt: int, asked_for: float | None, chance: float) -> float:
    """Seconds to wait after the n-th attempt.

    Twice as long each time, half of it by chance so that many callers do not come back at once; what the server asked
    for is never undercut, and up to one second comes on top by chance.
    """
    if asked_for is not None:
        return asked_for + chance
    return min(LONGEST_BACKOFF_S, 2.0 ** (attempt - 1)) * (1 + chance) / 2


def _told(failure: CallFailed) -> str:
    if (failure.retry_after or 0) <= LONGEST_WAIT_S:
        return failure.detail
    return f"{failure.detail} (it asks to wait {failure.retry_after:g} s; fairgate waits at most {LONGEST_WAIT_S:g} s)"
