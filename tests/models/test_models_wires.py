"""What servers refuse of a system's parameters, gateways that want more than a key, and the Messages API."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, Server, Step, answer, ask, completion

from fairgate.errors import ConfigError, InputError
from fairgate.models.protocol import CallFailed, Usage

Chat = Callable[..., Any]


@pytest.fixture
def chat(tmp_path: Path, server: Server, build: Build) -> Chat:
    """A chat system with instructions and a question, on the scripted server."""
    (tmp_path / "do.md").write_text("Duyệt đơn.", encoding="utf-8")
    (tmp_path / "ask.j2").write_text("Đơn của {{ ten }}.", encoding="utf-8")

    def make(type: str = "openai", params: dict[str, Any] | None = None, **model: Any) -> Any:
        url = f"{server.url}/v1" if type == "openai" else server.url
        messages = [{"role": "system", "file": "do.md"}, {"turns": "history"}, {"role": "user", "file": "ask.j2"}]
        settings = {"type": type, "model": "m", "base_url": url, "timeout_s": 5, **model}
        given = {"max_tokens": 9} if params is None and type == "anthropic" else params
        return build({"type": "chat", "model": settings, "messages": messages, "params": given or {}})

    return make


def fails(system: Any, **fields: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        system.send(ask(ten="Lan", **fields))
    return caught.value


def refuses(message: str, status: int = 400) -> Step:
    return answer(status, {"error": {"message": message, "type": "invalid_request_error"}})


SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}


@pytest.mark.parametrize(
    ("params", "message", "dropped", "sent"),
    [
        ({"temperature": 0.2}, "'temperature' does not support 0.2 with this model.", "temperature", {}),
        ({"top_k": 5, "seed": 1}, "Unrecognized request argument supplied: top_k", "top_k", {"seed": 1}),
        (
            {"max_tokens": 9},
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens (sent as max_completion_tokens)",
            {"max_completion_tokens": 9},
        ),
        (
            {"max_completion_tokens": 9},
            "max_completion_tokens: Extra inputs are not permitted",
            "max_completion_tokens (sent as max_tokens)",
            {"max_tokens": 9},
        ),
        (
            {"response_format": SCHEMA},
            "json_schema is not supported",
            "response_format=json_schema",
            {"response_format": {"type": "json_object"}},
        ),
        ({"response_format": {"type": "json_object"}}, "response_format is unknown", "response_format", {}),
    ],
)
def test_a_refused_parameter_of_production_is_dropped_and_shown(
    chat: Chat, server: Server, params: dict[str, Any], message: str, dropped: str, sent: dict[str, Any]
) -> None:
    server.steps = [refuses(message), completion("DUYỆT")]
    system = chat(params=params)
    asked = system.request(ask(ten="Lan"))
    for _ in range(2):
        assert system.send(ask(ten="Lan")).dropped == (dropped,)
    assert len(server.seen) == 3, "it is learnt once"
    assert {key: value for key, value in server.seen[2].body.items() if key not in ("model", "messages")} == sent
    assert system.describe()["dropped"] == [dropped]
    assert system.request(ask(ten="Lan")) == asked, "what is asked stays what production asks"


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 2048 tokens; max_tokens is too large for the rest of the context",
        "the model is overloaded",
        "temperatures in this application are not plausible",
    ],
)
def test_what_production_would_fail_at_fails(chat: Chat, server: Server, message: str) -> None:
    server.steps = [refuses(message)]
    system = chat(params={"temperature": 0.2, "max_tokens": 9})
    assert fails(system).reason == "http_400"
    assert (len(server.seen), system.describe()["dropped"]) == (1, [])


def test_a_limit_that_was_dropped_is_no_limit_of_production(chat: Chat, server: Server) -> None:
    message = "Unsupported parameter: '{}'"
    cut = answer(200, {"choices": [{"message": {"content": "DUY"}, "finish_reason": "length"}]})
    server.steps = [refuses(message.format("max_tokens")), refuses(message.format("max_completion_tokens")), cut]
    system = chat(params={"max_tokens": 1})
    assert fails(system).reason == "truncated"
    assert system.describe()["dropped"] == ["max_tokens (sent as max_completion_tokens)", "max_tokens"]


FILTERED = answer(200, {"choices": [{"message": {"content": "a"}, "finish_reason": "content_filter"}]})


@pytest.mark.parametrize(
    ("step", "reason", "retryable"),
    [
        (answer(200, {"error": {"code": 502, "message": "upstream"}}), "server_error", True),
        (answer(200, {"error": {"code": 429, "message": "slow down"}}), "server_error", True),
        (answer(200, {"error": "no such thing"}), "server_error", False),
        (answer(200, {"choices": [{"message": {}, "error": {"code": 503}}]}), "server_error", True),
        (FILTERED, "content_filter", False),
        (refuses("filtered due to the prompt triggering content management policy"), "content_filter", False),
        (answer(200, {"choices": [{"message": {"content": "", "refusal": "No."}}]}), "refused", False),
        (answer(200, {"choices": []}), "no_answer", False),
    ],
)  # fmt: skip
def test_everything_else_has_a_reason_of_its_own(
    chat: Chat, server: Server, step: Step, reason: str, retryable: bool
) -> None:
    server.steps = [step]
    failure = fails(chat())
    assert (failure.reason, failure.retryable, failure.final) == (reason, retryable, False)


def test_a_text_in_parts_is_a_text(chat: Chat, server: Server) -> None:
    server.steps = [completion([{"type": "thinking", "thinking": []}, {"type": "text", "text": "DUYỆT"}])]
    assert chat().send(ask(ten="Lan")).text == "DUYỆT"


# --- gateways --------------------------------------------------------------------------------------------------------


def test_azure_takes_a_key_header_and_a_query(chat: Chat, server: Server) -> None:
    server.steps = [completion("DUYỆT")]
    base = f"{server.url}/openai/deployments/d"
    more = {"api_key_env": "KEY", "api_key_header": "api-key", "query": {"api-version": "2024-10-21"}}
    system = chat(base_url=base, headers={"X-Title": "fairgate"}, **more)
    assert system.send(ask(ten="Lan")).text == "DUYỆT"
    (seen,) = server.seen
    assert seen.path == "/openai/deployments/d/chat/completions?api-version=2024-10-21"
    assert (seen.headers["api-key"], seen.headers["X-Title"]) == (KEY, "fairgate")
    assert "Authorization" not in seen.headers


def test_a_service_may_want_its_key_in_a_header_of_its_own(build: Build, server: Server) -> None:
    server.steps = [answer(200, {"answer": "yes"})]
    settings = {"type": "http", "url": f"{server.url}/decide", "answer": "answer"}
    build({**settings, "api_key_env": "KEY", "api_key_header": "X-Key"}).send(ask())
    assert server.seen[0].headers["X-Key"] == KEY


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"headers": {"Authorization": "x"}}, "carries a secret"),
        ({"headers": {"api-key": "x"}}, "carries a secret"),
        ({"headers": {"X-Team": "Bearer 0123456789abcdef"}}, "carries a secret"),
        ({"query": {"key": "x"}}, "carries a secret"),
        ({"query": {"v": "sk-0123456789abcdefghij"}}, "carries a secret"),
        ({"api_key_header": "api-key"}, "would carry no key"),
        ({"api_key_env": "KEY", "api_key_header": "api key"}, "expected a name such as X-Team"),
        ({"base_url": "http://localhost/v1?api-version=1"}, "under query"),
    ],
)
def test_no_secret_is_written_where_it_would_be_seen(chat: Chat, model: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        chat(**model)


# --- the Messages API ------------------------------------------------------------------------------------------------


def message(*content: dict[str, Any], stop: str = "end_turn", **more: Any) -> Step:
    usage = {"input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 3}
    return answer(
        200, {"type": "message", "model": "m-1", "content": content, "stop_reason": stop, "usage": usage, **more}
    )


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def test_asks_the_messages_api_as_production_does(chat: Chat, server: Server) -> None:
    server.steps = [message({"type": "thinking", "thinking": "hm"}, said("DUY"), said("ỆT"))]
    system = chat("anthropic", params={"max_tokens": 64, "temperature": 0.2}, api_key_env="KEY", family="claude")
    turns = [{"role": "user", "content": "Chào"}, {"role": "assistant", "content": "Xin chào"}]
    question = ask(ten="Lan", history=turns)
    reply = system.send(question)
    assert (reply.text, reply.model, reply.usage) == ("DUYỆT", "m-1", Usage(12, 3))
    (seen,) = server.seen
    headers = {name.lower(): value for name, value in seen.headers.items()}
    assert (seen.path, headers["x-api-key"], headers["anthropic-version"]) == ("/v1/messages", KEY, "2023-06-01")
    assert seen.body == system.request(question) == {
        "model": "m",
        "system": "Duyệt đơn.",
        "messages": [*turns, {"role": "user", "content": "Đơn của Lan."}],
        "max_tokens": 64,
        "temperature": 0.2,
    }  # fmt: skip
    described = {"type": "chat", "model": "m", "family": "claude", "address": server.url, "dropped": []}
    assert system.describe() == described


@pytest.mark.parametrize(
    ("step", "reason", "retryable"),
    [
        (message(stop="refusal"), "refused", False),
        (message(stop="max_tokens"), "truncated", False),
        (message(said(" ")), "empty_answer", False),
        (message({"type": "tool_use", "name": "report", "input": {}}, stop="tool_use"), "bad_reply", False),
        (answer(200, {"type": "error", "error": {"message": "x"}}), "server_error", False),
        (answer(529, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}), "http_529", True),
    ],
)
def test_a_message_without_a_text_is_missing_evidence(
    chat: Chat, server: Server, step: Step, reason: str, retryable: bool
) -> None:
    server.steps = [step]
    failure = fails(chat("anthropic"))
    assert (failure.reason, failure.retryable) == (reason, retryable)


def test_a_message_cut_off_by_the_limit_of_production_stands(chat: Chat, server: Server) -> None:
    server.steps = [message(said("DUYỆT, vì"), stop="max_tokens")]
    assert chat("anthropic").send(ask(ten="Lan")).text == "DUYỆT, vì"


def test_the_messages_api_refuses_parameters_too(chat: Chat, server: Server) -> None:
    server.steps = [refuses("`temperature` is deprecated for this model."), message(said("DUYỆT"))]
    system = chat("anthropic", params={"max_tokens": 9, "temperature": 1})
    assert system.send(ask(ten="Lan")).dropped == ("temperature",)
    server.steps = [refuses("max_tokens: 9 > 8, which is the maximum allowed number of output tokens")]
    assert fails(system).reason == "http_400"


@pytest.mark.parametrize("limit", [None, 0, "9", True])
def test_the_messages_api_needs_a_limit(chat: Chat, limit: Any) -> None:
    with pytest.raises(ConfigError, match="without max_tokens; write production's value here"):
        chat("anthropic", params={} if limit is None else {"max_tokens": limit})


def test_instructions_in_the_middle_are_refused_with_the_case(chat: Chat) -> None:
    history = [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]
    with pytest.raises(InputError, match="case c1: a message of the role system stands after the first turn"):
        chat("anthropic").request(ask(ten="Lan", history=history))
