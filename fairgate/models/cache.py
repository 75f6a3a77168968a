"""Answers of models kept from one run to the next, each under the digest of what was asked.

Every run appends its answers to a file of its own, one line each: a folder of a thousand small files takes longer to
write than a thousand calls to answer, and longer to carry from job to job. A line holds the key, a digest of the line,
and the answer. It is used when it is whole, belongs to its key and is young enough; a later line of the same key takes
its place. Two runs may share a folder.
"""

import hashlib
import json
import os
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from fairgate.errors import UsageError
from fairgate.models.disk import write_all
from fairgate.models.kept import dumps, from_json, to_json
from fairgate.models.protocol import Reply

SUFFIX = ".answers"
LARGEST = 16 * 1024 * 1024
"""Bytes of a line; no answer is that long."""

_KEY = re.compile(rb"[0-9a-f]{64} ")


@dataclass(frozen=True)
class Cached:
    """A reply that was kept, and when it came, in seconds since 1970."""

    reply: Reply
    at: float


@dataclass(frozen=True)
class _Place:
    """Where a line stands."""

    file: Path
    start: int
    length: int


class Cache:
    """A folder of answers. Used by several threads at once.

    :ivar dropped: answers that were damaged, or stood under a key that is not theirs
    :ivar problem: why answers cannot be kept any more, if so; the run goes on without
    """

    def __init__(self, folder: Path, max_age_s: float, now: float) -> None:
        """Finds out what is there; files in which everything is too old are removed.

        :param now: seconds since 1970
        :raises UsageError: the folder cannot be made, read or written
        """
        self.dropped = 0
        self.problem: str | None = None
        self._folder = folder
        self._max_age_s = max_age_s
        self._places: dict[bytes, _Place] = {}
        self._fd: int | None = None
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(0, "no permission to write there")
            for file in sorted(folder.glob(f"*{SUFFIX}")):
                if now - file.stat().st_mtime > max_age_s:
                    file.unlink()
                else:
                    self._places.update(_lines(file))
        except OSError as error:
            raise UsageError(f"--cache {folder}: cannot be used: {error.strerror or error}; name another") from None

    def find(self, key: str, now: float) -> Cached | None:
        """The answer kept under a key, when it is whole and not older than the limit."""
        place = self._places.get(bytes.fromhex(key))
        if place is None:
            return None
        try:
            found = _read(place, key)
        except (OSError, ValueError, RecursionError):
            with self._lock:
                self.dropped += 1
                self._places.pop(bytes.fromhex(key), None)
            return None
        young = 0 <= now - found.at <= self._max_age_s  # from the future is no age at all
        return found if young else None

    def keep(self, key: str, reply: Reply, now: float) -> None:
        """Keep an answer."""
        text = dumps({"at": now, "reply": to_json(reply)})
        line = f"{key} {_digest(key, text)} {text}\n".encode("ascii")
        with self._lock:
            if self.problem is not None:
                return
            try:
                if self._fd is None:
                    self._fd = self._new_file(now)
                write_all(self._fd, line)
            except OSError as error:
                self.problem = f"{error.strerror or error}"

    def close(self) -> None:
        """Nothing more is kept in this file."""
        with self._lock:
            fd, self._fd = self._fd, None
        if fd is not None:
            os.close(fd)

    def _new_file(self, now: float) -> int:
        """A file of its own; names sort by time. Others may read it: who carries the folder on is another user."""
        name = f"{int(now * 1000):014}-{secrets.token_hex(4)}{SUFFIX}"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        return os.open(self._folder / name, flags, 0o644)


def _lines(file: Path) -> Iterator[tuple[bytes, _Place]]:
    """The lines of a file by key, later ones last. What has no line end was being written when its run was killed."""
    with file.open("rb") as stream:
        start = 0
        while line := stream.readline(LARGEST):
            if line.endswith(b"\n") and _KEY.match(line):
                yield bytes.fromhex(line[:64].decode()), _Place(file, start, len(line))
            start += len(line)


def _read(place: _Place, key: str) -> Cached:
    """The answer in a line.

    :raises ValueError: it is not what was written there, or not to this key
    """
    with place.file.open("rb") as stream:
        stream.seek(place.start)
        found, digest, text = stream.read(place.length - 1).decode("ascii").split(" ", 2)
    if found != key or digest != _digest(key, text):
        raise ValueError("the digest does not fit")
    value: Any = json.loads(text)
    if not isinstance(value, dict) or type(value.get("at")) not in (int, float):
        raise ValueError("no answer")
    return Cached(from_json(value.get("reply")), float(value["at"]))


def _digest(key: str, text: str) -> str:
    return hashlib.sha256(f"{key} {text}".encode()).hexdigest()
