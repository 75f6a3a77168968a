"""Keeps the runner's tokens out of the environment that a system under test can read.

Deleting a variable is not enough: the kernel shows the environment a process was started with, to every process of the
same user, in ``/proc/PID/environ``. So the program starts itself again without the tokens, and hands them to itself
through a pipe that closes when it has been read.
"""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from typing import NoReturn

_PIPE = "FAIRGATE_HANDOVER"


def taken_over(names: Iterable[str]) -> dict[str, str]:
    """The values of some variables, in a process whose environment never held them.

    Where the environment holds one of them, this replaces the process by itself and does not return.
    """
    handed = os.environ.pop(_PIPE, None)
    found = {name: os.environ.pop(name) for name in names if name in os.environ}
    if handed is not None:
        return _read(int(handed))
    if any(found.values()):
        _start_again(found)
    return found


def _start_again(found: Mapping[str, str]) -> NoReturn:
    reading, writing = os.pipe()
    os.set_inheritable(reading, True)
    with os.fdopen(writing, "w", encoding="utf-8") as stream:
        json.dump(found, stream)
    os.execve(sys.executable, sys.orig_argv, {**os.environ, _PIPE: str(reading)})  # noqa: S606 - this very program


def _read(descriptor: int) -> dict[str, str]:
    with os.fdopen(descriptor, encoding="utf-8") as stream:
        values: dict[str, str] = json.load(stream)
    return values
