"""Standard streams whose reader may go away (``| head``, a closed pager) without any say in what a command does."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any


class _Unheard(FileIO):
    """A file that takes what nobody reads any more for written.

    It is the lowest layer, so that no writer above it (``print``, ``rich``, ``traceback``, the flush when Python ends)
    has to know about it.
    """

    def write(self, data: Any, /) -> int:
        """Write, or drop what the reader does not want."""
        try:
            return super().write(data)
        except BrokenPipeError:
            return len(data)


@contextmanager
def readers_may_leave() -> Iterator[None]:
    """Standard output and standard error whose reader has seen enough once it closes them: the rest is dropped.

    Terminals, and streams that somebody put in the place of Python's own, stay as they are.
    """
    out, err = sys.stdout, sys.stderr
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is getattr(sys, f"__{name}__") and isinstance(stream, TextIOWrapper) and not stream.isatty():
            setattr(sys, name, _unheard(stream))
    try:
        yield
    finally:
        with suppress(OSError):  # a full disk: said already, by who wrote
            sys.stderr.flush()
            sys.stdout.flush()
        sys.stdout, sys.stderr = out, err


def _unheard(stream: TextIOWrapper) -> TextIOWrapper:
    stream.flush()
    return TextIOWrapper(
        BufferedWriter(_Unheard(stream.fileno(), "w", closefd=False)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering or stream.write_through,
    )
