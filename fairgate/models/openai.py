"""A model on any server that speaks OpenAI's ``/chat/completions``."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairgate.config.systems import OpenAIModel
from fairgate.models.concessions import Body, Concessions, Parameter, Step, by_name, drop, rename
from fairgate.models.gateway import Gateway
from fairgate.models.protocol import CallFailed, Reply, Usage
from fairgate.models.text import kind, whole
from fairgate.models.transport import Exchanged, address
from fairgate.models.wire import (
    Completion,
    Wanted,
    filtered,
    paid,
    raise_named,
    refused,
    reported,
    server_error,
    token_count,
)
from fairgate.world import World

LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict", "num_predict")
"""Parameters by which a request limits its reply, on one server or another."""


# --- what a server may refuse ----------------------------------------------------------------------------------------


def _schema_to_object(body: Body) -> dict[str, Any] | None:
    form = body.get("response_format")
    if not isinstance(form, dict) or form.get("type") != "json_schema":
        return None
    return {**body, "response_format": {"type": "json_object"}}


_FORMAT = Parameter(
    re.compile(r"response.?format|json.?schema|json.?object|structured.?output|guided|grammar", re.IGNORECASE),
    (
        Step("response_format=json_schema", _schema_to_object),
        drop("response_format", name="response_format=json_object"),
    ),
)

FOR_JUDGES = (
    Parameter(by_name("temperature"), (drop("temperature"),)),
    Parameter(by_name("seed"), (drop("seed"),)),
    _FORMAT,
    Parameter(
        # A server whose window is too small for the limit takes what is left of it when there is no limit.
        re.compile(r"max_(completion_)?tokens|max(imum)? context|context (length|window|size)", re.IGNORECASE),
        (rename("max_tokens", "max_completion_tokens", "max_tokens"), drop("max_completion_tokens")),
    ),
)


def for_systems(params: Mapping[str, Any]) -> Sequence[Parameter]:
    """What a server may refuse of the parameters of production, each by its own name.

    A window that is too small is no refusal of a parameter: production would fail there, too.
    """
    return [_own(key, params[key]) for key in params]


def _own(key: str, value: Any) -> Parameter:
    others = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
    if key in others:
        other = others[key]
        named = re.compile(r"^(?!.*\bcontext\b).*?max_(completion_)?tokens", re.IGNORECASE | re.DOTALL)
        return Parameter(named, (rename(key, other, f"{key} (sent as {other})"), drop(other, name=key)))
    if key == "response_format" and isinstance(value, dict) and value.get("type") == "json_schema":
        return _FORMAT
    return Parameter(by_name(key), (drop(key),))


# --- asking ----------------------------------------------------------------------------------------------------------


class OpenAIWire:
    """One model on one server."""

    def __init__(self, config: OpenAIModel, world: World, own: Mapping[str, Any] | None = None) -> None:
        """:param own: the parameters of a system under test; None for a judge"""
        self._config = config
        self._gateway = Gateway(config, config.base_url.rstrip("/") + "/chat/completions", world)
        self._concessions = Concessions(FOR_JUDGES if own is None else for_systems(own))

    def body(self, wanted: Wanted) -> dict[str, Any]:
        """The body of a request to a server that takes everything."""
        return chat_body(self._config.model, wanted)

    def complete(self, wanted: Wanted) -> Completion:
        """Ask the model once."""
        where = self._gateway.where
        try:
            return completed(self._concessions, self.body(wanted), self._gateway.post, where)
        except CallFailed as failure:
            raise_named(failure, where)

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address, refused parameters."""
        return {
            "type": "openai",
            "model": self._config.model,
            "family": self._config.family,
            "address": address(self._config.base_url),
            "dropped": self._concessions.dropped,
        }

    def close(self) -> None:
        """Give the connections back."""
        self._gateway.close()


def chat_body(model: str, wanted: Wanted) -> dict[str, Any]:
    """The body of a chat completion."""
    body: dict[str, Any] = {"model": model, "messages": list(wanted.messages), **wanted.params}
    if wanted.steady:
        body |= {"temperature": 0, "seed": 0}
    if wanted.schema is not None:
        schema = {"name": wanted.schema.name, "strict": True, "schema": wanted.schema.value}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if wanted.room is not None:
        body["max_tokens"] = wanted.room
    return body


def completed(
    concessions: Concessions, body: Body, post: Callable[[dict[str, Any]], Exchanged], where: str
) -> Completion:
    """The completion to a body, without what the server refuses.

    :param body: as it is wanted
    :param post: sends a body and returns what the server answered
    :param where: the server, for the sentence
    """

    def sent(less: dict[str, Any]) -> tuple[Reply, bool]:
        answered = post(less)
        reply, truncated = read(answered.value, where)
        return replace(reply, left=answered.left), truncated

    through = concessions.send(body, sent)
    reply, truncated = through.sent
    limited = any(through.body.get(key) is not None for key in LIMITS)
    return Completion(replace(reply.after(through.refusals), dropped=through.dropped), truncated, limited)


# --- reading ---------------------------------------------------------------------------------------------------------


def read(value: Any, where: str) -> tuple[Reply, bool]:
    """The reply in a chat completion, and whether the limit on tokens cut it off. Its text may be empty.

    :param where: the server, for the sentence
    :raises CallFailed: ``server_error``, ``refused``, ``content_filter``, ``no_answer`` when there is no choice at
        all, ``bad_reply`` when it is no completion
    """
    usage = _usage(value.get("usage")) if isinstance(value, dict) else Usage()
    with paid(usage):
        return _read(value, where, usage)


def _read(value: Any, where: str, usage: Usage) -> tuple[Reply, bool]:
    choice = _first_choice(value, where)
    message, finish = choice.get("message"), choice.get("finish_reason")
    if isinstance(message, dict) and message.get("refusal"):
        raise refused(where, message["refusal"])
    if finish == "content_filter":
        raise filtered(where)
    if choice.get("error") or finish == "error":
        raise server_error(where, choice.get("error") or "finish_reason is error")
    truncated = finish == "length"
    reply = Reply(
        text=_text(message, where, truncated),
        model=reported(value.get("model")),
        fingerprint=reported(value.get("system_fingerprint")),
        usage=usage,
    )
    return reply, truncated


def _first_choice(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, expected a chat completion")
    choices = value.get("choices")
    if value.get("error") and not choices:
        raise server_error(where, value["error"])
    if choices == []:
        raise CallFailed("no_answer", f"{where} answered without a choice to read")
    if not isinstance(choices, list) or not isinstance(choices[0], dict):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, without a choice to read")
    return choices[0]


def _text(message: Any, where: str, truncated: bool) -> str:
    """The text of a message; a list of parts, as some servers answer, is read as its texts."""
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        texts = [part for part in parts if isinstance(part, str)]
        content = "".join(texts) if texts else content
    if content is None and truncated and isinstance(message, dict):
        return ""  # all the room went into thinking
    if not isinstance(content, str):
        instead = ": the model called a tool instead" if _calls_tool(message) else ", expected a text"
        raise CallFailed("bad_reply", f"{where}: choices[0].message.content is {kind(content)}{instead}")
    return whole(content)


def _calls_tool(message: Any) -> bool:
    return isinstance(message, dict) and bool(message.get("tool_calls") or message.get("function_call"))


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(token_count(value.get("prompt_tokens")), token_count(value.get("completion_tokens")))
