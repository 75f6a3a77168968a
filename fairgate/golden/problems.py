"""What is wrong with one file, gathered line by line and told in one error."""

import os
from pathlib import Path
from typing import NoReturn

from fairgate.errors import InputError

SHOWN = 5
"""Problems told in full; the others are only counted."""


class Problems:
    """The problems of one file: the first few are kept in full, the others counted, all raised as one error."""

    def __init__(self, path: Path) -> None:
        self._name = display(path)
        self._first: list[str] = []
        self._notes: list[str] = []
        self._count = 0

    def __bool__(self) -> bool:
        return self._count > 0

    def add(self, message: str, line: int | None = None) -> None:
        """Note one problem, with its physical line (1 is the first) where it has one."""
        self._count += 1
        if len(self._first) < SHOWN:
            place = "" if line is None else f" line {line}:"
            self._first.append(f"{self._name}:{place} {message}")

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
        if not self._count:
            return
        more = self._count - len(self._first)
        rest = [f"{self._name}: and {more} more"] if more else []
        raise InputError("\n".join([*self._first, *rest, *self._notes]))


def display(path: Path) -> str:
    """A path as people know it: relative to where they stand when it is below, else as given."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


def quoted(text: str, length: int = 60) -> str:
    """The first characters of a text, escaped, so that what cannot be seen can be seen."""
    return repr(text[:length]) + ("…" if len(text) > length else "")
