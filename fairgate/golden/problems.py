"""What is wrong with one file, gathered line by line and told in one error."""

import os
import re
from pathlib import Path
from typing import NoReturn

from fairgate.errors import InputError

SHOWN = 5
"""Different problems told in full; the others are only counted, and so are the lines that repeat one."""


class Problems:
    """The problems of one file: the first few are kept in full, the others and those that say
    the same of further lines counted, all raised as one error."""

    def __init__(self, path: Path) -> None:
        self._name = display(path)
        self._found: dict[str, list[int | None]] = {}
        self._notes: list[str] = []
        self._others = 0

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, message: str, line: int | None = None) -> None:
        """Note one problem, with its physical line (1 is the first) where it has one."""
        if message in self._found:
            self._found[message].append(line)
        elif len(self._found) < SHOWN:
            self._found[message] = [line]
        else:
            self._others += 1

    def note(self, message: str) -> None:
        """Say something that helps to mend the problems; it is none itself."""
        self._notes.append(f"{self._name}: {message}")

    def stop(self, message: str, line: int | None = None) -> NoReturn:
        """Note a problem after which the file cannot be read further.

        :raises InputError: always, with what was noted before
        """
        self.add(message, line)
        self.check()
        raise AssertionError("a problem was added, so check() raised")

    def check(self) -> None:
        """Go on only if nothing is wrong.

        :raises InputError: one line per problem, and how many more there are
        """
        if not self._found:
            return
        told = [self._told(message, lines) for message, lines in self._found.items()]
        rest = [f"{self._name}: and {self._others} more"] if self._others else []
        raise InputError("\n".join([*told, *rest, *self._notes]))

    def _told(self, message: str, lines: list[int | None]) -> str:
        """A problem with the first line that has it, and how many others have the same."""
        place = "" if lines[0] is None else f" line {lines[0]}:"
        others = lines[1:]
        if not others:
            return f"{self._name}:{place} {message}"
        shown = ", ".join(str(line) for line in others[:SHOWN] if line is not None)
        where = f": {shown}{', …' if len(others) > SHOWN else ''}" if shown else ""
        return f"{self._name}:{place} {message} (and {len(others):,} more like this{where})"


def display(path: Path) -> str:
    """A path as people know it: relative to where they stand when it is below, else as given."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def quoted(text: str, length: int = 60) -> str:
    """The first characters of a text, escaped, so that what cannot be seen can be seen.

    >>> quoted("a\\tb"), quoted("caf\\udce9")  # bytes that are no UTF-8 come as lone surrogates: shown as the bytes
    ("'a\\\\tb'", "'caf\\\\xe9'")
    """
    escaped = re.sub(r"\\udc([89a-f][0-9a-f])", r"\\x\1", repr(text[:length]))
    return escaped + ("…" if len(text) > length else "")
