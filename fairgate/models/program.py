"""A program of the configuration: started without a shell, in a process group of its own, and ended as a whole."""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from fairgate.config import Project
from fairgate.config.model import CommandSystem
from fairgate.config.section import Where
from fairgate.models.protocol import CallFailed
from fairgate.models.secret import Secret
from fairgate.models.text import excerpt

WITHHELD = ("INPUT_", "GITHUB_", "ACTIONS_")
"""A command needs neither the action's inputs nor GitHub's tokens and files, so it does not get them."""


MOST_LINES = 3
LONGEST_LINE = 160
"""Of stderr, as a sentence shows it."""

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)


@dataclass(frozen=True)
class Program:
    """What is run, where, and with which environment.

    :param name: as people are told of it
    """

    name: str
    argv: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]

    def start(self, stdin: IO[bytes] | int) -> subprocess.Popen[bytes]:
        """A process, its stdout and stderr on pipes; raises CallFailed ``system_error``, final, when there is none."""
        try:
            return subprocess.Popen(  # noqa: S603 - the command of the configuration, without a shell
                self.argv,
                cwd=self.folder,
                env=self.environ,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            raise CallFailed("system_error", f"{self.name} cannot be started: {error.strerror}", final=True) from None

    def failed(self, status: int, said: bytes) -> CallFailed:
        """The failure of a process that ended before it answered.

        :param status: its exit code, or minus the signal that ended it
        :param said: the end of its stderr
        """
        ended = f"was ended by signal {-status}" if status < 0 else f"ended with exit code {status}"
        return CallFailed("system_error", f"{self.name} {ended}: {self.words(said) or 'it wrote nothing to stderr'}")

    def late(self, limit: float, said: bytes, hint: str = "") -> CallFailed:
        """The failure of an answer that did not come in time."""
        detail = f"{self.name} did not answer within {limit:g} s; timeout_s sets the limit{hint}"
        return CallFailed("timeout", detail + self.last_words(said))

    def last_words(self, said: bytes) -> str:
        """The end of stderr as the end of a sentence; empty when there is none."""
        words = self.words(said)
        return f"; the end of its stderr: {words}" if words else ""

    def words(self, said: bytes) -> str:
        """The last lines of stderr, without the secrets of its environment."""
        text = said.decode("utf-8", "replace")
        for secret in self._secrets():
            text = secret.redact(text)
        lines = [line for line in text.splitlines() if line.strip()]
        return " | ".join(excerpt(line, LONGEST_LINE) for line in lines[-MOST_LINES:])

    def _secrets(self) -> list[Secret]:
        """What its variables hold whose names say that it is a secret."""
        return [Secret(name, value.strip()) for name, value in self.environ.items() if _SECRET.search(name)]


def program_of(config: CommandSystem, project: Project, where: Where, environ: Mapping[str, str]) -> Program:
    """The program that a system names.

    :raises ConfigError: when there is no such command
    """
    folder = project.file.resolve().parent
    seen = {name: value for name, value in environ.items() if not name.startswith(WITHHELD)}
    name = config.command[0]
    found = shutil.which(folder / name if "/" in name else name, path=seen.get("PATH"))
    if found is None:
        looked = f"in {folder.name}/" if "/" in name else "on the PATH"
        message = f"there is no command '{name}' {looked} that can be run; inside the action only its image is there"
        raise project.error((*where, "command", 0), message)
    return Program(Path(name).name, (str(found), *config.command[1:]), folder, seen)


def end(process: subprocess.Popen[bytes]) -> None:
    """End the whole group of a process, which may live on after the process itself."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # nobody left (macOS says it the second way)
        return


def last_line(output: bytes) -> str:
    """The last line that says something."""
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1] if lines else ""


def stream(pipe: IO[bytes] | None) -> IO[bytes]:
    """A pipe that a process was started with."""
    if pipe is None:
        raise RuntimeError("the process was started without pipes")
    return pipe
