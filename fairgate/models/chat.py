"""A chat model with a prompt, on any server that speaks OpenAI's ``/chat/completions``."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from fairgate.config import Project
from fairgate.config.model import ChatSystem, Turns
from fairgate.config.section import Where
from fairgate.errors import InputError
from fairgate.models.prompts import Prompt, load_prompt
from fairgate.models.protocol import CallFailed, Question, Reply, Usage
from fairgate.models.secret import read_secret
from fairgate.models.text import excerpt, kind, whole
from fairgate.models.transport import Transport, address
from fairgate.world import World

RESERVED_PARAMS = ("model", "messages", "stream", "n")
"""What fairgate itself sets: the question, and one whole answer to it."""

ROLES = ("system", "developer", "user", "assistant", "tool")

Message = dict[str, str]
Part = Callable[[Question], list[Message]]
"""One entry of ``messages``: what it becomes for a question."""


class Chat:
    """The messages of production, sent to the model of production."""

    def __init__(self, config: ChatSystem, project: Project, where: Where, world: World) -> None:
        """:raises ConfigError: for a prompt file that cannot be used, and for params that fairgate sets itself"""
        _check_params(config.params, project, (*where, "params"))
        self.concurrency = config.model.concurrency
        self.retries = config.model.retries
        self._config = config
        self._url = config.model.base_url.rstrip("/") + "/chat/completions"
        self._parts, self._files = _load_parts(config, project, where)
        self._transport = Transport(
            world,
            read_secret(config.model.api_key_env, world.environ),
            concurrency=config.model.concurrency,
            timeout_s=config.model.timeout_s,
        )

    def request(self, question: Question) -> dict[str, Any]:
        """The body of the request, as it is sent."""
        messages = [message for part in self._parts for message in part(question)]
        return {"model": self._config.model.model, "messages": messages, **self._config.params}

    def send(self, question: Question) -> Reply:
        """Ask the model once."""
        value = self._transport.exchange("POST", self._url, json=self.request(question))
        return read_completion(value, address(self._url))

    def describe(self) -> dict[str, Any]:
        """Type, model, family and address."""
        model = self._config.model
        return {"type": "chat", "model": model.model, "family": model.family, "address": address(model.base_url)}

    def files(self) -> list[Path]:
        """The prompt files, with what they include."""
        return self._files

    def close(self) -> None:
        """Give the connections back."""
        self._transport.close()


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


def read_completion(value: Any, where: str) -> Reply:
    """The reply in a chat completion.

    :param where: the server, for the sentence
    :raises CallFailed: ``bad_reply`` when it is no completion, ``empty_answer`` when it holds no text
    """
    choice = first_choice(value, where)
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, str):
        raise CallFailed("bad_reply", f"{where}: choices[0].message.content is {kind(content)}{_refused(message)}")
    if not content.strip():
        cut = " (cut off by the limit on tokens)" if choice.get("finish_reason") == "length" else ""
        raise CallFailed("empty_answer", f"{where} answered an empty text{cut}")
    return Reply(
        text=whole(content),
        model=_text(value.get("model")),
        fingerprint=_text(value.get("system_fingerprint")),
        usage=_usage(value.get("usage")),
    )


def first_choice(value: Any, where: str) -> dict[str, Any]:
    """The first choice of a chat completion.

    :param where: the server, for the sentence
    :raises CallFailed: ``bad_reply`` when there is none
    """
    if not isinstance(value, dict):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, expected a chat completion")
    if value.get("error"):
        error = value["error"]
        sentence = excerpt(str(error.get("message", error)) if isinstance(error, dict) else str(error))
        raise CallFailed("bad_reply", f"{where} answered an error: {sentence}")
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, without a choice to read")
    return choices[0]


def _refused(message: Any) -> str:
    """What stands in place of a text, when the model says so."""
    if not isinstance(message, dict):
        return ", expected a text"
    if isinstance(message.get("refusal"), str):
        return f", the model refused: {excerpt(message['refusal'])}"
    return ": the model called a tool instead" if message.get("tool_calls") else ", expected a text"


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(token_count(value.get("prompt_tokens")), token_count(value.get("completion_tokens")))


def token_count(value: Any) -> int | None:
    """A number of tokens as a server reports it; None for anything that is no such number."""
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if counted else None


def _text(value: Any) -> str | None:
    return excerpt(value) or None if isinstance(value, str) else None
