"""A question to a process of its own: one JSON line in on stdin, which then ends; the last line of stdout answers."""

import os
import selectors
import subprocess
import tempfile
from collections.abc import Callable

from fairgate.models.program import Program, end, stream
from fairgate.models.protocol import CallFailed

MAX_OUTPUT = 1024 * 1024
CHUNK = 64 * 1024
TICK_S = 0.05


class Once:
    """Runs the program once for each question; whatever a process leaves running is ended with it."""

    def __init__(self, program: Program, timeout_s: float, clock: Callable[[], float]) -> None:
        self._program = program
        self._timeout_s = timeout_s
        self._clock = clock
        self._running: set[subprocess.Popen[bytes]] = set()

    def ask(self, line: bytes) -> bytes:
        """What the program wrote to stdout; raises CallFailed when it fails, takes too long or says too much."""
        with tempfile.TemporaryFile() as stdin:  # a file, not a pipe: nothing to wait for when nobody reads it
            stdin.write(line)
            stdin.seek(0)
            process = self._program.start(stdin)
        self._running.add(process)
        try:
            with process:
                out, err = self._read(process)
                status = process.wait()
        finally:
            self._running.discard(process)
        if status != 0:
            raise self._program.failed(status, err)
        return out

    def close(self) -> None:
        """End what still runs."""
        for process in list(self._running):
            end(process)

    def _read(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """Read both streams side by side until the process ends; whatever it left running is ended with it."""
        deadline = self._clock() + self._timeout_s
        with selectors.DefaultSelector() as open_streams:
            out, err = _Tail(), _Tail()
            open_streams.register(stream(process.stdout), selectors.EVENT_READ, out)
            open_streams.register(stream(process.stderr), selectors.EVENT_READ, err)
            try:
                while open_streams.get_map():
                    ended = process.poll() is not None
                    if ended:
                        end(process)
                    if not _read_ready(open_streams) and ended:
                        break  # somebody who left the group holds the streams open
                    self._check(out, err, deadline)
                while process.poll() is None:  # it closed its streams and goes on
                    self._check(out, err, deadline)
                    _pause(process)
            finally:
                end(process)
        return out.text, err.text

    def _check(self, out: "_Tail", err: "_Tail", deadline: float) -> None:
        if out.size > MAX_OUTPUT:
            raise CallFailed("bad_reply", f"{self._program.name} wrote more than {MAX_OUTPUT // 2**20} MiB to stdout")
        if self._clock() > deadline:
            raise self._program.late(self._timeout_s, err.text)


class _Tail:
    """The end of a stream, and how much it was in all."""

    def __init__(self) -> None:
        self.text = b""
        self.size = 0

    def add(self, part: bytes) -> None:
        self.size += len(part)
        self.text = (self.text + part)[-MAX_OUTPUT:]


def _read_ready(streams: selectors.BaseSelector) -> bool:
    """Read what is there, waiting one tick for it; whether there was anything, the end of a stream included."""
    ready = streams.select(timeout=TICK_S)
    for key, _ in ready:
        part = os.read(key.fd, CHUNK)
        if part:
            key.data.add(part)
        else:
            streams.unregister(key.fileobj)
    return bool(ready)


def _pause(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(TICK_S)
    except subprocess.TimeoutExpired:
        return
