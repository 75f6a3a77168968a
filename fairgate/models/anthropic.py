"""A model behind Anthropic's Messages API: ``POST /v1/messages``.

A schema is enforced by a tool that the model is made to call; where a model does not take that, it answers in text.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fairgate.config.systems import AnthropicModel
from fairgate.errors import InputError
from fairgate.models.concessions import Body, Concessions, Parameter, Step, by_name, drop
from fairgate.models.gateway import Gateway
from fairgate.models.protocol import CallFailed, Reply, Usage
from fairgate.models.text import kind, whole
from fairgate.models.transport import address
from fairgate.models.wire import (
    Completion,
    Message,
    Wanted,
    paid,
    raise_named,
    refused,
    reported,
    server_error,
    token_count,
)
from fairgate.world import World

VERSION = "2023-06-01"
TOOL = "report"
SAFE_ROOM = 4096
"""Tokens that every model of this API may answer. The API has no default: a limit is always sent."""

INSTRUCTIONS = ("system", "developer")
TURNS = ("user", "assistant")
CUT_OFF = ("max_tokens", "model_context_window_exceeded")


# --- what a server may refuse ----------------------------------------------------------------------------------------


def _less_room(body: Body) -> dict[str, Any] | None:
    return {**body, "max_tokens": SAFE_ROOM} if body.get("max_tokens", 0) > SAFE_ROOM else None


FOR_JUDGES = (
    Parameter(by_name("temperature"), (drop("temperature"),)),
    Parameter(
        re.compile(r"tool_choice|\btools?\b|input_schema", re.IGNORECASE),
        (drop("tool_choice", "tools"),),
    ),
    Parameter(by_name("max_tokens"), (Step(f"max_tokens above {SAFE_ROOM}", _less_room),)),
)


def for_systems(params: Mapping[str, Any]) -> Sequence[Parameter]:
    """What a server may refuse of the parameters of production; ``max_tokens`` it always takes."""
    return [Parameter(by_name(key), (drop(key),)) for key in params if key != "max_tokens"]


# --- asking ----------------------------------------------------------------------------------------------------------


class AnthropicWire:
    """One model of the API."""

    def __init__(self, config: AnthropicModel, world: World, own: Mapping[str, Any] | None = None) -> None:
        """:param own: the parameters of a system under test; None for a judge"""
        self._config = config
        url = config.base_url.rstrip("/").removesuffix("/v1") + "/v1/messages"
        self._gateway = Gateway(config, url, world, key_header="x-api-key", headers={"anthropic-version": VERSION})
        self._concessions = Concessions(FOR_JUDGES if own is None else for_systems(own))

    def body(self, wanted: Wanted) -> dict[str, Any]:
        """The body of a request to a server that takes everything.

        :raises InputError: for a conversation that this API cannot hold
        """
        instructions, turns = divided(wanted.messages)
        body = {"model": self._config.model, **_system(instructions), "messages": turns, **wanted.params}
        if wanted.room is not None:
            body["max_tokens"] = wanted.room
        if wanted.steady:
            body["temperature"] = 0
        if wanted.schema is not None:
            tool = {"name": TOOL, "description": "Takes the reply.", "input_schema": wanted.schema.value}
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}
        return body

    def complete(self, wanted: Wanted) -> Completion:
        """Ask the model once."""
        gateway, by_tool = self._gateway, wanted.schema is not None

        def sent(body: dict[str, Any]) -> tuple[Reply, bool]:
            answered = gateway.post(body)
            reply, truncated = read(answered.value, gateway.where, by_tool)
            return replace(reply, left=answered.left), truncated

        try:
            through = self._concessions.send(self.body(wanted), sent)
        except CallFailed as failure:
            raise_named(failure, gateway.where)
        reply, truncated = through.sent
        return Completion(replace(reply.after(through.refusals), dropped=through.dropped), truncated, limited=True)

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address, refused parameters."""
        return {
            "type": "anthropic",
            "model": self._config.model,
            "family": self._config.family,
            "address": address(self._config.base_url),
            "dropped": self._concessions.dropped,
        }

    def close(self) -> None:
        """Give the connections back."""
        self._gateway.close()


def divided(messages: Sequence[Message]) -> tuple[list[str], list[Message]]:
    """The instructions, which this API takes apart from the conversation, and the turns.

    :raises InputError: for instructions in the middle of the conversation, or a role that it does not have
    """
    instructions = []
    for message in messages:
        if message["role"] not in INSTRUCTIONS:
            break
        instructions.append(message["content"])
    turns = list(messages[len(instructions) :])
    for turn in turns:
        if turn["role"] not in TURNS:
            raise InputError(
                f"a message of the role {turn['role']} stands after the first turn; the Messages API takes user and "
                "assistant there, and instructions before them"
            )
    return instructions, turns


def _system(instructions: Sequence[str]) -> dict[str, str]:
    return {"system": "\n\n".join(instructions)} if instructions else {}


# --- reading ---------------------------------------------------------------------------------------------------------


def read(value: Any, where: str, by_tool: bool) -> tuple[Reply, bool]:
    """The reply in a message, and whether a limit on tokens cut it off. Its text may be empty.

    :param where: the server, for the sentence
    :param by_tool: read the input of the tool ``report``, if the model called it
    :raises CallFailed: ``server_error``, ``refused``, ``bad_reply`` when it is no message
    """
    usage = _usage(value.get("usage")) if isinstance(value, dict) else Usage()
    with paid(usage):
        return _read(value, where, by_tool, usage)


def _read(value: Any, where: str, by_tool: bool, usage: Usage) -> tuple[Reply, bool]:
    if isinstance(value, dict) and value.get("error"):
        raise server_error(where, value["error"])
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, list):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, expected a message with a list as content")
    stop = value.get("stop_reason")
    if stop == "refusal":
        raise refused(where)
    blocks = [block for block in content if isinstance(block, dict)]
    text = _text(blocks, by_tool)
    if not text and not by_tool and stop == "tool_use":
        raise CallFailed("bad_reply", f"{where}: the model called a tool instead of answering")
    return Reply(text, reported(value.get("model")), usage=usage), stop in CUT_OFF


def _text(blocks: list[dict[str, Any]], by_tool: bool) -> str:
    calls = [block.get("input") for block in blocks if block.get("type") == "tool_use" and block.get("name") == TOOL]
    if calls and by_tool:
        return json.dumps(calls[0], ensure_ascii=False)
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return whole("".join(text for text in texts if isinstance(text, str)))


def _usage(value: Any) -> Usage:
    """Tokens of a message; what a cache of prompts took or gave is part of the prompt."""
    if not isinstance(value, dict):
        return Usage()
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    prompt = [count for part in parts if (count := token_count(value.get(part))) is not None]
    return Usage(sum(prompt) if prompt else None, token_count(value.get("output_tokens")))
