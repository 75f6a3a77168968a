"""A judge on any server that speaks OpenAI's ``/chat/completions``."""

import re
from typing import Any

from fairgate.config.systems import OpenAIModel
from fairgate.judges.concessions import Concessions, Form, Parameter
from fairgate.judges.prompts import Ask
from fairgate.judges.wire import Completion, refused
from fairgate.models.chat import first_choice, read_completion
from fairgate.models.protocol import CallFailed, Reply
from fairgate.models.secret import read_secret
from fairgate.models.text import excerpt
from fairgate.models.transport import Transport, address
from fairgate.world import World


def _json_schema(ask: Ask) -> dict[str, Any]:
    schema = {"name": ask.task.name, "strict": True, "schema": ask.task.schema}
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


PARAMETERS = (
    Parameter(re.compile(r"\btemperature\b", re.IGNORECASE), (Form("temperature", lambda _: {"temperature": 0}),)),
    Parameter(re.compile(r"\bseed\b", re.IGNORECASE), (Form("seed", lambda _: {"seed": 0}),)),
    Parameter(
        re.compile(r"response.?format|json.?schema|json.?object|structured.?output|guided|grammar", re.IGNORECASE),
        (
            Form("response_format=json_schema", _json_schema),
            Form("response_format=json_object", lambda _: {"response_format": {"type": "json_object"}}),
        ),
    ),
    Parameter(
        # A server whose window is too small for the limit takes what is left of it when there is no limit.
        re.compile(r"max_(completion_)?tokens|max(imum)? context|context (length|window|size)", re.IGNORECASE),
        (
            Form("max_tokens", lambda ask: {"max_tokens": ask.room}),
            Form("max_completion_tokens", lambda ask: {"max_completion_tokens": ask.room}),
        ),
    ),
)


class OpenAIWire:
    """One model on one server."""

    def __init__(self, config: OpenAIModel, world: World) -> None:
        self._config = config
        self._url = config.base_url.rstrip("/") + "/chat/completions"
        self._concessions = Concessions(PARAMETERS)
        self._transport = Transport(
            world,
            read_secret(config.api_key_env, world.environ),
            concurrency=config.concurrency,
            timeout_s=config.timeout_s,
        )

    def body(self, ask: Ask) -> dict[str, Any]:
        """The body of the request as it would be sent now."""
        return self._concessions.body(self._base(ask), ask)

    def complete(self, ask: Ask) -> Completion:
        """Ask the model once."""
        value = self._concessions.send(
            self._base(ask), ask, lambda body: self._transport.exchange("POST", self._url, json=body)
        )
        return read(value, address(self._url))

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
        self._transport.close()

    def _base(self, ask: Ask) -> dict[str, Any]:
        messages = [{"role": "system", "content": ask.system}, *ask.turns]
        return {"model": self._config.model, "messages": messages}


def read(value: Any, where: str) -> Completion:
    """The completion in what a server answered.

    :param where: the server, for the sentence
    :raises CallFailed: ``bad_reply`` when it is no completion, ``judge_refused`` when the model does not want to judge
    """
    choice = first_choice(value, where)
    message, finish = choice.get("message"), choice.get("finish_reason")
    refusal = message.get("refusal") if isinstance(message, dict) else None
    if refusal or finish == "content_filter":
        raise refused(where, excerpt(refusal) if isinstance(refusal, str) else "")
    try:
        reply = read_completion(value, where)
    except CallFailed as failure:
        if failure.reason != "empty_answer":
            raise
        reply = Reply(text="")  # worth another attempt: with more room, or told what is wrong
    return Completion(reply, truncated=finish == "length")
