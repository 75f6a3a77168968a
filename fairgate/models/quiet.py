"""While systems are asked, stdout belongs to nobody: what they print goes to stderr."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from threading import Lock
from typing import TextIO

_lock = Lock()
_open: list[redirect_stdout[TextIO]] = []
_depth = [0]


@contextmanager
def quiet() -> Iterator[None]:
    """Send stdout to stderr. May be nested and entered by several threads: the first one in turns it, the last one
    out turns it back, because there is one stdout for all of them."""
    with _lock:
        if _depth[0] == 0:
            _open.append(redirect_stdout(sys.stderr))
            _open[0].__enter__()
        _depth[0] += 1
    try:
        yield
    finally:
        with _lock:
            _depth[0] -= 1
            if _depth[0] == 0:
                _open.pop().__exit__(None, None, None)
