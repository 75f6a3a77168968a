"""A chat model with a prompt, as production asks it, whatever kind of server it runs on."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fairgate.config import Project
from fairgate.config.model import ChatSystem, Turns
from fairgate.config.section import Where
from fairgate.errors import InputError
from fairgate.models.prompts import Prompt, load_prompt
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import kind
from fairgate.models.wire import Completion, Message, Wanted
from fairgate.models.wires import build_wire
from fairgate.world import World

RESERVED_PARAMS = ("model", "messages", "stream", "n")
"""What fairgate itself sets: the question, and one whole answer to it."""

ROLES = ("system", "developer", "user", "assistant", "tool")

Part = Callable[[Question], list[Message]]
"""One entry of ``messages``: what it becomes for a question."""


class Chat:
    """The messages of production, sent to the model of production."""

    def __init__(self, config: ChatSystem, project: Project, where: Where, world: World) -> None:
        """:raises ConfigError: for a prompt file that cannot be used, and for params that fairgate sets itself"""
        _check_params(config.params, project, (*where, "params"))
        self.concurrency = config.model.concurrency
        self.retries = config.model.retries
        self._params = dict(config.params)
        self._parts, self._files = _load_parts(config, project, where)
        self._wire = build_wire(config.model, project, (*where, "model"), world, own=self._params)
        self._address = self._wire.describe()["address"]

    def request(self, question: Question) -> dict[str, Any]:
        """The body of the request, as production sends it."""
        try:
            return self._wire.body(self._wanted(question))
        except InputError as error:
            raise InputError(f"case {question.id}: {error}") from None

    def send(self, question: Question) -> Reply:
        """Ask the model once."""
        return whole_answer(self._wire.complete(self._wanted(question)), self._address)

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address, and the parameters that the server refused."""
        return {**self._wire.describe(), "type": "chat"}

    def files(self) -> list[Path]:
        """The prompt files, with what they include."""
        return self._files

    def close(self) -> None:
        """Give the connections back."""
        self._wire.close()

    def _wanted(self, question: Question) -> Wanted:
        return Wanted(tuple(message for part in self._parts for message in part(question)), self._params)


def whole_answer(completion: Completion, where: str) -> Reply:
    """The answer of a system, if it is one that production would act upon.

    An answer that was cut off by the limit in production's own ``params`` stands: production reads the same. Cut off by
    anything else (a server's default, a window that is full), nobody can say how it would have gone on.

    :param where: the server, for the sentence
    :raises CallFailed: ``truncated`` or ``empty_answer``
    """
    blank = not completion.reply.text.strip()
    if completion.truncated and (blank or not completion.limited):
        detail = f"{where}: the answer was cut off by a limit on tokens"
        hint = "before it said anything" if blank else "that params do not set; set max_tokens as production does"
        raise CallFailed("truncated", f"{detail} {hint}").instead_of(completion.reply)
    if blank:
        raise CallFailed("empty_answer", f"{where} answered an empty text").instead_of(completion.reply)
    return completion.reply


def _check_params(params: Mapping[str, Any], project: Project, where: Where) -> None:
    for name in params:
        if name in RESERVED_PARAMS:
            raise project.error((*where, name), f"'{name}' is set by fairgate itself; leave it out of params")


def _load_parts(config: ChatSystem, project: Project, where: Where) -> tuple[list[Part], list[Path]]:
    parts: list[Part] = []
    files: list[Path] = []
    for index, part in enumerate(config.messages):
        if isinstance(part, Turns):
            parts.append(partial(earlier_turns, field=part.turns))
            continue
        prompt, read = load_prompt(part.file, project, (*where, "messages", index, "file"))
        parts.append(partial(_prompted, role=part.role, prompt=prompt))
        files.extend(path for path in read if path not in files)
    return parts, files


def _prompted(question: Question, role: str, prompt: Prompt) -> list[Message]:
    return [{"role": role, "content": prompt.render(question)}]


def earlier_turns(question: Question, field: str) -> list[Message]:
    """The earlier turns that a case brings along: a list of ``{role, content}``; none when it has no such field.

    :raises InputError: naming the case, when the field holds anything else
    """
    turns = question.fields.get(field)
    if turns is None or turns == "":
        return []
    where = f"case {question.id}: field '{field}'"
    if not isinstance(turns, list):
        raise InputError(f"{where} is {kind(turns)}, expected a list of {{role, content}}; a JSONL file can hold one")
    return [_turn(turn, f"{where}[{index}]") for index, turn in enumerate(turns)]


def _turn(turn: Any, where: str) -> Message:
    if not isinstance(turn, dict) or set(turn) != {"role", "content"}:
        raise InputError(f"{where} is {kind(turn)}, expected an object with the keys role and content")
    if turn["role"] not in ROLES:
        raise InputError(f"{where}: role is {kind(turn['role'])}, expected one of {', '.join(ROLES)}")
    if not isinstance(turn["content"], str):
        raise InputError(f"{where}: content is {kind(turn['content'])}, expected a text")
    return {"role": turn["role"], "content": turn["content"]}
