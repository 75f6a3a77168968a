"""A command as a system: one JSON object in on stdin, one out as the last line of stdout, no shell between.

Commands run in the folder of ``fairgate.yaml``, each in a process group of its own, which is ended as a whole: when
its time is up, when it says too much, and in any case when the command itself has ended.
"""

import json
import os
import selectors
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from fairgate.config import Project
from fairgate.config.model import CommandSystem
from fairgate.config.section import Where
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import excerpt, parse_json, read_answer
from fairgate.world import World

MAX_OUTPUT = 1024 * 1024
CHUNK = 64 * 1024
TICK_S = 0.05
WITHHELD = ("INPUT_", "GITHUB_", "ACTIONS_")
"""A command needs neither the action's inputs nor GitHub's tokens and files, so it does not get them."""


class Command:
    """One process for each question."""

    def __init__(self, config: CommandSystem, project: Project, where: Where, world: World) -> None:
        """:raises ConfigError: when there is no such command"""
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._config = config
        self._folder = project.file.resolve().parent
        self._environ = {name: value for name, value in world.environ.items() if not name.startswith(WITHHELD)}
        self._argv = [_executable(config, self._folder, self._environ, project, where), *config.command[1:]]
        self._clock = world.clock
        self._running: set[subprocess.Popen[bytes]] = set()

    def request(self, question: Question) -> dict[str, Any]:
        """The command and the fields it reads."""
        return {"command": list(self._config.command), "fields": dict(question.fields)}

    def send(self, question: Question) -> Reply:
        """Run the command once."""
        line = json.dumps({"id": question.id, "fields": dict(question.fields)}) + "\n"
        status, out, err = self._run(line.encode())
        if status != 0:
            said = excerpt(_last_line(err))
            ended = f"was ended by signal {-status}" if status < 0 else f"ended with exit code {status}"
            raise CallFailed("system_error", f"{self._name()} {ended}: {said or 'it wrote nothing to stderr'}")
        return read_output(_last_line(out), self._name())

    def describe(self) -> dict[str, Any]:
        """Type and the command's name; its arguments are the team's own affair."""
        return {"type": "command", "model": None, "family": None, "command": self._name()}

    def files(self) -> list[Path]:
        """The files of the repository that the command line names."""
        named = [self._folder / part for part in self._config.command]
        return [path for path in named if path.is_file() and path.resolve().is_relative_to(self._folder)]

    def close(self) -> None:
        """End what still runs."""
        for process in list(self._running):
            _end(process)

    def _name(self) -> str:
        return Path(self._config.command[0]).name

    def _run(self, line: bytes) -> tuple[int, bytes, bytes]:
        """Exit status, stdout and the end of stderr; raises CallFailed when it takes too long or says too much."""
        with tempfile.TemporaryFile() as stdin:  # a file, not a pipe: nothing to wait for when nobody reads it
            stdin.write(line)
            stdin.seek(0)
            process = self._start(stdin)
        self._running.add(process)
        try:
            with process:
                out, err = self._read(process)
                return process.wait(), out, err
        finally:
            self._running.discard(process)

    def _start(self, stdin: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603 - the command of the configuration, without a shell
                self._argv,
                cwd=self._folder,
                env=self._environ,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise CallFailed(
                "system_error", f"{self._name()} cannot be started: {error.strerror}", final=True
            ) from None

    def _read(self, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
        """Read both streams side by side until the process ends; whatever it left running is ended with it."""
        deadline = self._clock() + self._config.timeout_s
        with selectors.DefaultSelector() as open_streams:
            out, err = _Tail(), _Tail()
            open_streams.register(_stream(process.stdout), selectors.EVENT_READ, out)
            open_streams.register(_stream(process.stderr), selectors.EVENT_READ, err)
            try:
                while open_streams.get_map():
                    ended = process.poll() is not None
                    if ended:
                        _end(process)
                    if not _read_ready(open_streams) and ended:
                        break  # somebody who left the group holds the streams open
                    self._check(out, deadline)
                while process.poll() is None:  # it closed its streams and goes on
                    self._check(out, deadline)
                    _pause(process)
            finally:
                _end(process)
        return out.text, err.text

    def _check(self, out: "_Tail", deadline: float) -> None:
        if out.size > MAX_OUTPUT:
            raise CallFailed("bad_reply", f"{self._name()} wrote more than {MAX_OUTPUT // 2**20} MiB to stdout")
        if self._clock() > deadline:
            detail = f"{self._name()} did not answer within {self._config.timeout_s:g} s; timeout_s sets the limit"
            raise CallFailed("timeout", detail)


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


def _stream(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise RuntimeError("the process was started without pipes")
    return stream


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group of a process, which may live on after the process itself."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # nobody left (macOS says it the second way)
        return


def _executable(config: CommandSystem, folder: Path, environ: Mapping[str, str], project: Project, where: Where) -> str:
    name = config.command[0]
    found = shutil.which(folder / name if "/" in name else name, path=environ.get("PATH"))
    if found is None:
        looked = f"in {folder.name}/" if "/" in name else "on the PATH"
        message = f"there is no command '{name}' {looked} that can be run; inside the action only its image is there"
        raise project.error((*where, "command", 0), message)
    return str(found)


def _last_line(output: bytes) -> str:
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def read_output(line: str, name: str) -> Reply:
    """The reply in the last line that a command wrote: ``{"answer": ...}``, with or without ``contexts``, or a plain
    JSON text.

    :param name: the command, for the sentence
    :raises CallFailed: ``bad_reply``, ``no_answer`` or ``empty_answer``
    """
    if not line:
        raise CallFailed("no_answer", f'{name} wrote nothing to stdout, expected one line {{"answer": ...}}')
    try:
        value = parse_json(line)
    except ValueError as error:
        raise CallFailed(
            "bad_reply", f"{name}: the last line of stdout is no JSON ({error}): {excerpt(line, 80)}"
        ) from None
    return read_answer(value, f"what {name} wrote")
