"""A judge behind Anthropic's Messages API: ``POST /v1/messages``.

The schema is enforced by a tool that the model is made to call; where a model does not take that, it answers in text.
"""

import json
import re
from typing import Any

from fairgate.config.triad import AnthropicModel
from fairgate.judges.concessions import Concessions, Form, Parameter
from fairgate.judges.prompts import Ask
from fairgate.judges.wire import Completion, refused
from fairgate.models.chat import token_count
from fairgate.models.protocol import CallFailed, Reply, Usage
from fairgate.models.secret import read_secret
from fairgate.models.text import excerpt, kind, whole
from fairgate.models.transport import Transport, address
from fairgate.world import World

VERSION = "2023-06-01"
TOOL = "report"
SAFE_ROOM = 4096
"""Tokens that every model of this API may answer. The API has no default: a limit is always sent."""


def _forced_tool(ask: Ask) -> dict[str, Any]:
    tool = {"name": TOOL, "description": "Takes the reply.", "input_schema": ask.task.schema}
    return {"tools": [tool], "tool_choice": {"type": "tool", "name": TOOL}}


PARAMETERS = (
    Parameter(re.compile(r"\btemperature\b", re.IGNORECASE), (Form("temperature", lambda _: {"temperature": 0}),)),
    Parameter(re.compile(r"tool_choice|\btools?\b|input_schema", re.IGNORECASE), (Form("tool_choice", _forced_tool),)),
    Parameter(
        re.compile(r"max_tokens", re.IGNORECASE),
        (Form(f"max_tokens above {SAFE_ROOM}", lambda ask: {"max_tokens": ask.room}),),
    ),
)


class AnthropicWire:
    """One model of the API."""

    def __init__(self, config: AnthropicModel, world: World) -> None:
        self._config = config
        self._url = config.base_url.rstrip("/").removesuffix("/v1") + "/v1/messages"
        self._concessions = Concessions(PARAMETERS)
        self._transport = Transport(
            world,
            read_secret(config.api_key_env, world.environ),
            concurrency=config.concurrency,
            timeout_s=config.timeout_s,
            key_header="x-api-key",
        )

    def body(self, ask: Ask) -> dict[str, Any]:
        """The body of the request as it would be sent now."""
        return self._concessions.body(self._base(ask), ask)

    def complete(self, ask: Ask) -> Completion:
        """Ask the model once."""
        return read(self._concessions.send(self._base(ask), ask, self._post), address(self._url))

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
        self._transport.close()

    def _post(self, body: dict[str, Any]) -> Any:
        return self._transport.exchange("POST", self._url, json=body, headers={"anthropic-version": VERSION})

    def _base(self, ask: Ask) -> dict[str, Any]:
        return {
            "model": self._config.model,
            "max_tokens": min(ask.room, SAFE_ROOM),
            "system": ask.system,
            "messages": list(ask.turns),
        }


def read(value: Any, where: str) -> Completion:
    """The completion in a message: the input of the tool that the model called, or else its text.

    :param where: the server, for the sentence
    :raises CallFailed: ``bad_reply`` when it is no message, ``judge_refused`` when the model does not want to judge
    """
    content = value.get("content") if isinstance(value, dict) else None
    if not isinstance(content, list):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, expected a message with a list as content")
    if value.get("stop_reason") == "refusal":
        raise refused(where)
    model = value.get("model")
    reply = Reply(
        text=_text([block for block in content if isinstance(block, dict)]),
        model=excerpt(model) or None if isinstance(model, str) else None,
        usage=_usage(value.get("usage")),
    )
    return Completion(reply, truncated=value.get("stop_reason") == "max_tokens")


def _text(blocks: list[dict[str, Any]]) -> str:
    calls = [block.get("input") for block in blocks if block.get("type") == "tool_use" and block.get("name") == TOOL]
    if calls:
        return json.dumps(calls[0], ensure_ascii=False)
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return whole("".join(text for text in texts if isinstance(text, str)))


def _usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    return Usage(token_count(value.get("input_tokens")), token_count(value.get("output_tokens")))
