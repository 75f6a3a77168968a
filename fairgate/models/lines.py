"""One process for all questions: JSON lines in on stdin, JSON lines out on stdout, matched by ``id``, in any order."""

import contextlib
import logging
import subprocess
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Event, RLock, Thread
from typing import Any

from fairgate.models.program import MOST_LINES, Program, end, stream
from fairgate.models.protocol import CallFailed
from fairgate.models.text import parse_json

MAX_LINE = 1024 * 1024
TICK_S = 0.05
GRACE_S = 1.0
"""Seconds that a process has to end by itself once nobody asks it any more."""
MOST_FRUITLESS = 5
"""Processes in a row that end without a single answer; after them no further one is started."""

_log = logging.getLogger(__name__)


@dataclass(eq=False)
class _Waiting:
    """A question that was sent. ``ahead``: how many were waiting before it."""

    id: str
    line: bytes
    sent: float = 0.0
    ahead: int = 0
    done: Event = field(default_factory=Event)
    value: Mapping[str, Any] | None = None
    failure: CallFailed | None = None


class Lines:
    """Asks a process that goes on; when it ends or hangs, another one takes its place.

    Whom a crash or a hang is laid to: the question that waits longest. A program that answers in order was at that one,
    and every restart settles one question, so that there is an end to them. The others are sent to the new process.
    """

    def __init__(self, program: Program, timeout_s: float, clock: Callable[[], float]) -> None:
        """:param timeout_s: seconds without any answer while questions wait; a question waits at most this long for
        itself and for each one ahead of it"""
        self._program = program
        self._timeout_s = timeout_s
        self._clock = clock
        self._lock = RLock()
        self._talk: _Talk | None = None
        self._pending: dict[str, _Waiting] = {}
        self._last_answer = 0.0
        self._fruitless = 0
        self._broken: CallFailed | None = None

    def ask(self, id: str, line: bytes) -> Mapping[str, Any]:
        """The object that carries the question's id; raises CallFailed."""
        waiting = _Waiting(id, line)
        with self._lock:
            if self._broken is not None:
                raise self._broken
            if id in self._pending:
                raise ValueError(f"the question {id} is being asked already")
            self._pending[id] = waiting
            self._send([waiting])
        while not waiting.done.wait(TICK_S):
            self._watch(waiting)
        if waiting.failure is not None:
            raise waiting.failure
        return waiting.value or {}

    def close(self) -> None:
        """End the process; it may do so by itself when its input ends."""
        with self._lock:
            talk, self._talk = self._talk, None
        if talk is not None:
            talk.leave()

    def answered(self, talk: "_Talk", value: Mapping[str, Any]) -> None:
        """An object with an id came from a process. One that nobody waits for any more is left aside."""
        with self._lock:
            waiting = self._pending.get(str(value["id"]))
            if talk is not self._talk or waiting is None:
                return
            talk.answers += 1
            self._fruitless = 0
            self._last_answer = self._clock()
            self._settle(waiting, value=value)

    def ended(self, talk: "_Talk", failure: CallFailed | None) -> None:
        """A process ended: with a failure, or of its own accord after the last answer it had to give."""
        with self._lock:
            if talk is not self._talk:
                return
            self._talk = None
            if failure is None and talk.answers == 0:
                detail = f"{self._program.name} ended without an answer to its question"
                failure = CallFailed("no_answer", detail + self._program.last_words(talk.said))
            if self._pending:
                self._go_on(talk, failure)

    def _watch(self, waiting: _Waiting) -> None:
        with self._lock:
            if waiting.done.is_set():
                return
            now, oldest = self._clock(), next(iter(self._pending.values()))
            if now - max(self._last_answer, oldest.sent) > self._timeout_s:
                talk, self._talk = self._talk, None
                if talk is not None:
                    end(talk.process)
                    hint = "" if talk.answers else "; if it reads to the end of its input, write per_question: true"
                    self._go_on(talk, self._program.late(self._timeout_s, talk.said, hint))
            elif now - waiting.sent > self._timeout_s * (1 + waiting.ahead):
                said = self._talk.said if self._talk is not None else b""
                self._settle(waiting, failure=self._program.late(self._timeout_s, said))

    def _go_on(self, talk: "_Talk", failure: CallFailed | None) -> None:
        """Lay the failure to the question that waits longest, and send the others to another process."""
        self._fruitless += talk.answers == 0
        if failure is not None:
            self._settle(next(iter(self._pending.values())), failure=failure)
        if failure is not None and self._fruitless >= MOST_FRUITLESS:
            self._give_up(failure)
        self._send(list(self._pending.values()))

    def _give_up(self, failure: CallFailed) -> None:
        detail = f"{failure.detail} ({self._fruitless} processes in a row ended without an answer; no other is started)"
        self._broken = CallFailed(failure.reason, detail, final=True)
        for waiting in list(self._pending.values()):
            self._settle(waiting, failure=self._broken)

    def _send(self, questions: list[_Waiting]) -> None:
        if not questions:
            return
        try:
            if self._talk is None:
                self._talk = _Talk(self._program, self)
        except CallFailed as failure:
            self._broken = failure
            for waiting in list(self._pending.values()):
                self._settle(waiting, failure=failure)
            return
        order = list(self._pending)
        for waiting in questions:
            waiting.sent, waiting.ahead = self._clock(), order.index(waiting.id)
            self._talk.write(waiting.line)

    def _settle(
        self, waiting: _Waiting, *, value: Mapping[str, Any] | None = None, failure: CallFailed | None = None
    ) -> None:
        self._pending.pop(waiting.id, None)
        waiting.value, waiting.failure = value, failure
        waiting.done.set()


class _Talk:
    """One process, with a thread for each of its streams: none of them can hold up another."""

    def __init__(self, program: Program, lines: Lines) -> None:
        """:raises CallFailed: when it cannot be started"""
        self.process = program.start(subprocess.PIPE)
        self.answers = 0
        self._program = program
        self._lines = lines
        self._last: deque[bytes] = deque(maxlen=MOST_LINES)
        self._to_write: SimpleQueue[bytes | None] = SimpleQueue()
        self._logger = Thread(target=self._log, daemon=True)
        self._reader = Thread(target=self._read, daemon=True)
        for thread in (self._logger, self._reader, Thread(target=self._write, daemon=True)):
            thread.start()

    @property
    def said(self) -> bytes:
        """The end of its stderr so far."""
        return b"".join(tuple(self._last))

    def write(self, line: bytes) -> None:
        """Send a line; returns at once."""
        self._to_write.put(line)

    def leave(self) -> None:
        """End the input, wait a moment, end the process."""
        self._to_write.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE_S)
        end(self.process)
        self._reader.join(GRACE_S)

    def _write(self) -> None:
        with contextlib.suppress(OSError), stream(self.process.stdin) as stdin:  # it ended; the reader sees to that
            while (line := self._to_write.get()) is not None:
                stdin.write(line)
                stdin.flush()

    def _read(self) -> None:
        """Hand on every answer; other lines are the program's own affair."""
        failure: CallFailed | None = None
        with stream(self.process.stdout) as stdout:
            while line := stdout.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    failure = CallFailed("bad_reply", f"{self._program.name} wrote a line of more than 1 MiB")
                    break
                value = _object(line)
                if value is not None:
                    self._lines.answered(self, value)
        self._end(failure)

    def _end(self, failure: CallFailed | None) -> None:
        try:
            status = self.process.wait(0 if failure else GRACE_S)
        except subprocess.TimeoutExpired:  # it closed its output and goes on
            end(self.process)
            status = self.process.wait()
        end(self.process)
        self.write(b"")  # wakes the writer, which finds that nobody reads
        self._to_write.put(None)
        self._logger.join(GRACE_S)
        if failure is None and status != 0:
            failure = self._program.failed(status, self.said)
        self._lines.ended(self, failure)

    def _log(self) -> None:
        with stream(self.process.stderr) as stderr:
            while line := stderr.readline(MAX_LINE):
                if line.strip():
                    self._last.append(line)
                _log.info("%s: %s", self._program.name, self._program.words(line))


def _object(line: bytes) -> Mapping[str, Any] | None:
    """The JSON object of a line if it carries an id; everything else is a line of log."""
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        value = parse_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("id"), str) else None
