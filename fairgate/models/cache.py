"""Answers of models kept from one run to the next, one file for each, under the digest of what was asked.

An entry is used when it is whole (it carries a digest of itself), belongs to its key and is young enough; any other is
taken away. Two runs may share a folder: entries are put in place whole.
"""

import hashlib
import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from fairgate.errors import UsageError
from fairgate.models.kept import dumps, from_json, to_json
from fairgate.models.protocol import Reply

LARGEST = 16 * 1024 * 1024


@dataclass(frozen=True)
class Cached:
    """A reply that was kept, and when it came, in seconds since 1970."""

    reply: Reply
    at: float


class Cache:
    """A folder of answers. Used by several threads at once.

    :ivar dropped: entries that were damaged, or no answer to what their name says
    :ivar problem: why answers cannot be kept any more, if so; the run goes on without
    """

    def __init__(self, folder: Path, max_age_s: float) -> None:
        """:raises UsageError: the folder cannot be made or written"""
        self.dropped = 0
        self.problem: str | None = None
        self._folder = folder
        self._max_age_s = max_age_s
        self._made: set[str] = set()
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise UsageError(f"--cache {folder}: cannot be written: {error.strerror or error}; name another") from None

    def find(self, key: str, now: float) -> Cached | None:
        """The answer kept under a key, when it is whole and not older than the limit."""
        path = self._path(key)
        try:
            if path.stat().st_size > LARGEST:
                raise ValueError("too large")
            found = _read(path.read_bytes(), key)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            with self._lock:
                self.dropped += 1
            _remove(path)
            return None
        if found.at > now or now - found.at > self._max_age_s:
            _remove(path)  # from the future is no age at all
            return None
        return found

    def keep(self, key: str, reply: Reply, now: float) -> None:
        """Keep an answer."""
        if self.problem is not None:
            return
        text = dumps({"key": key, "at": now, "reply": to_json(reply)})
        line = f'{text[:-1]},"sha256":"{hashlib.sha256(text.encode()).hexdigest()}"}}\n'
        folder = f"{self._folder}/{key[:2]}"
        new = f"{folder}/.{key}.{os.getpid()}"  # a key is kept by one thread of a process at a time
        try:
            if key[:2] not in self._made:
                os.makedirs(folder, exist_ok=True)
                self._made.add(key[:2])
            with open(new, "wb") as stream:
                stream.write(line.encode("ascii"))
            os.replace(new, f"{folder}/{key}.json")
        except OSError as error:
            self.problem = f"{error.strerror or error}"

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


def _read(raw: bytes, key: str) -> Cached:
    value: Any = json.loads(raw)
    if not isinstance(value, dict) or value.pop("sha256", None) != _digest(value):
        raise ValueError("the digest does not fit")
    if value.get("key") != key or type(value.get("at")) not in (int, float):
        raise ValueError("it belongs to another key")
    return Cached(from_json(value["reply"]), float(value["at"]))


def _digest(value: dict[str, Any]) -> str:
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _remove(path: Path) -> None:
    with suppress(OSError):  # somebody else's folder; it is not used, which is what counts
        path.unlink(missing_ok=True)
