"""A command as a system: questions as JSON lines on stdin, answers as JSON lines on stdout, no shell between.

Commands run in the folder of ``fairgate.yaml``, each process in a group of its own, which is ended as a whole.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from fairgate.config import Project
from fairgate.config.model import CommandSystem
from fairgate.config.section import Where
from fairgate.models.lines import Lines
from fairgate.models.once import Once
from fairgate.models.program import last_line, program_of
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import excerpt, parse_json, read_answer
from fairgate.world import World


class Command:
    """One process for all questions, or one for each.

    Unless the configuration says which, the first question finds out: it gets a process of its own, whose input ends
    after it, as every program can bear. Only an answer that carries the question's id comes from a program that can
    be asked more than one question at a time; to any other no answer could be assigned safely.
    """

    def __init__(self, config: CommandSystem, project: Project, where: Where, world: World) -> None:
        """:raises ConfigError: when there is no such command"""
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._config = config
        self._program = program_of(config, project, where, world.environ)
        self._once = Once(self._program, config.timeout_s, world.clock)
        self._lines = Lines(self._program, config.timeout_s, world.clock)
        self._per_question = config.per_question
        self._finding_out = Lock()

    def request(self, question: Question) -> dict[str, Any]:
        """The command and the fields it reads."""
        return {"command": list(self._config.command), "fields": dict(question.fields)}

    def send(self, question: Question) -> Reply:
        """Ask the program once."""
        line = (json.dumps({"id": question.id, "fields": dict(question.fields)}) + "\n").encode()
        if self._per_question is None:
            with self._finding_out:
                if self._per_question is None:
                    return self._first(question, line)
        if self._per_question:
            return _reply(self._output(line), self._program.name)
        return _reply(self._lines.ask(question.id, line), self._program.name)

    def describe(self) -> dict[str, Any]:
        """Type and the command's name; its arguments are the team's own affair."""
        return {"type": "command", "model": None, "family": None, "command": self._program.name}

    def files(self) -> list[Path]:
        """The files of the repository that the command line names."""
        folder = self._program.folder
        named = [folder / part for part in self._config.command]
        return [path for path in named if path.is_file() and path.resolve().is_relative_to(folder)]

    def close(self) -> None:
        """End what still runs."""
        self._once.close()
        self._lines.close()

    def _first(self, question: Question, line: bytes) -> Reply:
        """Ask the first question, and find out what the program can bear."""
        try:
            found = self._output(line)
        except CallFailed:
            self._per_question = True
            raise
        self._per_question = not (isinstance(found, Mapping) and found.get("id") == question.id)
        return _reply(found, self._program.name)

    def _output(self, line: bytes) -> Any:
        return _value(last_line(self._once.ask(line)), self._program.name)


def read_output(line: str, name: str) -> Reply:
    """The reply in the last line that a command wrote: ``{"answer": ...}``, with or without ``contexts``, or a plain
    JSON text.

    :param name: the command, for the sentence
    :raises CallFailed: ``bad_reply``, ``no_answer`` or ``empty_answer``
    """
    return _reply(_value(line, name), name)


def _value(line: str, name: str) -> Any:
    if not line:
        raise CallFailed("no_answer", f'{name} wrote nothing to stdout, expected one line {{"answer": ...}}')
    try:
        return parse_json(line)
    except ValueError as error:
        raise CallFailed(
            "bad_reply", f"{name}: the last line of stdout is no JSON ({error}): {excerpt(line, 80)}"
        ) from None


def _reply(value: Any, name: str) -> Reply:
    return read_answer(value, f"what {name} wrote")
