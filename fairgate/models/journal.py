"""The journal of a run: every call that was made, one JSON line each, in the order in which they ended.

A line is handed to the operating system before anybody sees the answer, so a process that is killed loses none; it is
forced to the disk several times a second, so a machine that loses power loses the last moments. The first line says
which run it belongs to, and the last one, written when the report is, that it is finished. A run that finds an
unfinished journal of itself takes its answers over; a finished one is evidence and serves nobody as a cache.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from fairgate.errors import UsageError
from fairgate.models.disk import write_all
from fairgate.models.kept import dumps, from_json, to_json, usage_from_json
from fairgate.models.protocol import Missing, Reply

try:
    import fcntl
except ImportError:  # Windows: two runs into one folder are not told apart there
    fcntl = None  # type: ignore[assignment]

SCHEMA = "fairgate.journal/1"
FLUSH_S = 0.25
OLDEST_S = 24 * 3600.0
"""A run that was interrupted longer ago is not taken up again: whom it asked may have changed."""

Answer = Reply | Missing


@dataclass(frozen=True)
class Entry:
    """One call: its key, whom it asked (role and name), and what came of it."""

    key: str
    party: tuple[str, str]
    question: str
    answer: Answer


@dataclass
class Journal:
    """An open journal. Used by several threads at once.

    :param earlier: the calls of the interrupted part of this run
    :param started: when that part began, in seconds since 1970; None for a run that begins
    """

    path: Path
    earlier: list[Entry]
    started: float | None
    _fd: int
    _lock: Lock = field(default_factory=Lock)
    _dirty: bool = False
    _closed: Event = field(default_factory=Event)

    def append(self, entry: Entry, now: float) -> None:
        """Write one call down.

        :raises UsageError: the disk does not take it; a run that cannot write its evidence ends
        """
        line = (dumps(_to_line(entry, now)) + "\n").encode()
        with self._lock:
            if self._closed.is_set():
                return  # the run is over; somebody who was not waited for came late
            _write(self._fd, line, self.path)
            self._dirty = True

    def flush(self) -> None:
        """Force what was written to the disk."""
        if self._dirty:
            self._dirty = False
            os.fsync(self._fd)

    def close(self) -> None:
        """Flush, and let others have it."""
        with self._lock:
            self._closed.set()
            os.fsync(self._fd)
            os.close(self._fd)

    def keep_flushing(self) -> None:
        """Flush now and then, until it is closed."""
        while not self._closed.wait(FLUSH_S):
            with self._lock:
                if self._closed.is_set():
                    return
                fd = os.dup(self._fd)  # so that nobody waits for the disk, and nobody closes it meanwhile
                dirty, self._dirty = self._dirty, False
            try:
                if dirty:
                    os.fsync(fd)
            finally:
                os.close(fd)


@contextmanager
def opened(path: Path, run: str, now: float, *, resume: bool) -> Iterator[Journal]:
    """The journal of a run, open until the block ends.

    An unfinished journal of the same run is continued: a torn last line goes, lines that cannot be read are passed
    over. Any other is put aside as ``journal.old.jsonl``.

    :param run: a digest of everything that makes it this run
    :param now: seconds since 1970
    :param resume: whether an unfinished journal may be continued at all
    :raises UsageError: it cannot be written, or another run is writing it
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
        _lock_file(fd, path)
        entries, started = _earlier(path, run, now) if resume else ([], None)
        if started is None:
            fd = _put_aside(path, fd)
            _write(fd, (dumps({"journal": SCHEMA, "run": run, "at": now}) + "\n").encode(), path)
        else:
            os.ftruncate(fd, _whole_lines(path))
    except OSError as error:
        raise _unwritable(path, error) from None
    journal = Journal(path, entries, started, fd)
    Thread(target=journal.keep_flushing, daemon=True).start()
    try:
        yield journal
    finally:
        journal.close()


def finish(path: Path, now: Callable[[], float] = time.time) -> None:
    """Write the last line: the report is on the disk, and nobody continues this run.

    :raises UsageError: it cannot be written
    """
    try:
        with path.open("ab") as file:
            file.write((dumps({"finished": now()}) + "\n").encode())
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise _unwritable(path, error) from None


def discard(path: Path) -> None:
    """Take away the journal of a finished run, and one that was put aside: their answers are not for everybody.

    :raises UsageError: they cannot be taken away
    """
    try:
        for one in (path, _aside(path)):
            one.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from None


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a journal that are whole JSON objects."""
    with path.open("rb") as file:
        for raw in file:
            try:
                value = json.loads(raw) if raw.endswith(b"\n") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value


def _earlier(path: Path, run: str, now: float) -> tuple[list[Entry], float | None]:
    """The calls of the same run, and when it began; nothing and None unless it is unfinished and not too old."""
    lines = read(path)
    head = next(lines, {})
    at = head.get("at")
    same = head.get("journal") == SCHEMA and head.get("run") == run
    if not same or not isinstance(at, int | float) or not 0 <= now - at <= OLDEST_S:
        return [], None
    entries: list[Entry] = []
    for line in lines:
        if "finished" in line:
            return [], None
        try:
            entries.append(_from_line(line))
        except (ValueError, KeyError, TypeError):
            continue  # not what was written: as if it had not been asked
    return entries, float(at)


def _to_line(entry: Entry, now: float) -> dict[str, Any]:
    role, name = entry.party
    line = {"key": entry.key, "role": role, "name": name, "question": entry.question, "at": now}
    if isinstance(entry.answer, Reply):
        return {**line, "reply": to_json(entry.answer)}
    missing = entry.answer
    facts = {"reason": missing.reason, "detail": missing.detail, "retries": missing.retries}
    took = {"seconds": missing.seconds, "extra_calls": missing.extra_calls}
    tokens = [missing.usage.prompt_tokens, missing.usage.completion_tokens]
    return {**line, "missing": {**facts, **took, "tokens": tokens}}


def _from_line(line: dict[str, Any]) -> Entry:
    party = (str(line["role"]), str(line["name"]))
    answer: Answer
    if "reply" in line:
        answer = from_json(line["reply"])
    else:
        found = line["missing"]
        usage = usage_from_json(found["tokens"])
        answer = Missing(
            str(found["reason"]),
            str(found["detail"]),
            int(found["retries"]),
            float(found["seconds"]),
            usage=usage,
            extra_calls=int(found["extra_calls"]),
        )
    return Entry(str(line["key"]), party, str(line["question"]), answer)


def _whole_lines(path: Path) -> int:
    """Bytes up to the end of the last whole line."""
    size = path.stat().st_size
    with path.open("rb") as file:
        while size:
            start = max(0, size - 64 * 1024)
            file.seek(start)
            found = file.read(size - start).rfind(b"\n")
            if found >= 0:
                return start + found + 1
            size = start
    return 0


def _aside(path: Path) -> Path:
    return path.with_name("journal.old.jsonl")


def _put_aside(path: Path, fd: int) -> int:
    """An empty file in place of what stands there; what it held stays beside it."""
    if os.fstat(fd).st_size == 0:
        return fd
    os.replace(path, _aside(path))
    os.close(fd)
    fresh = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0), 0o644)
    _lock_file(fresh, path)
    return fresh


def _lock_file(fd: int, path: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(f"{path}: another run is writing it; wait for it, or name another folder with --out") from None


def _write(fd: int, line: bytes, path: Path) -> None:
    try:
        write_all(fd, line)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path}: cannot be written: {error.strerror or error}; free some space or name another folder")
