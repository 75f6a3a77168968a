"""A judge behind the Messages API, in the shapes of its public documentation."""

import json
from typing import Any

import pytest
from judges_desk import CHECK, GOOD, WHOLE, Judge, ask, fails, question

from fairgate.models.pool import ask_all
from fairgate.models.protocol import Reply, Usage
from fairgate.world import World
from tests.models.models_helpers import KEY, Server, Sleeper, Step, answer


def message(*content: dict[str, Any], stop: str = "end_turn") -> Step:
    return answer(
        200,
        {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "the-judge-20261101",
            "content": list(content),
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 12, "output_tokens": 6},
        },
    )


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def call(value: Any, name: str = "report") -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": name, "input": value}


def error(status: int, kind: str, words: str, **headers: str) -> Step:
    return answer(
        status, {"type": "error", "error": {"type": kind, "message": words}, "request_id": "req_1"}, **headers
    )


def test_asks_by_a_tool_that_the_model_has_to_call(server: Server, judge: Judge) -> None:
    server.steps = [message(call(GOOD), stop="tool_use")]
    asked = judge("anthropic", api_key_env="KEY", family="claude")
    reply = asked.send(question(CHECK))
    assert json.loads(reply.text) == GOOD
    assert (reply.model, reply.usage) == ("the-judge-20261101", Usage(12, 6))

    (seen,) = server.seen
    headers = {name.lower(): value for name, value in seen.headers.items()}
    assert seen.path == "/v1/messages"
    assert headers["x-api-key"] == KEY
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers
    assert seen.body["temperature"] == 0
    assert 1024 <= seen.body["max_tokens"] <= 4096
    assert seen.body["system"].startswith("You examine")
    assert [turn["role"] for turn in seen.body["messages"]] == ["user"]
    assert seen.body["tool_choice"] == {"type": "tool", "name": "report"}
    assert seen.body["tools"][0]["input_schema"]["required"] == ["verdicts"]
    assert asked.request(question(CHECK)) == seen.body
    assert asked.describe() == {
        "type": "anthropic",
        "model": "the-judge",
        "family": "claude",
        "address": server.url,
        "dropped": [],
        "embedded": False,
    }


def test_an_address_may_end_in_its_version(server: Server, judge: Judge) -> None:
    server.steps = [message(call(GOOD))]
    ask(judge("anthropic", base_url=f"{server.url}/v1/"), CHECK)
    assert server.seen[0].path == "/v1/messages"


@pytest.mark.parametrize(
    "content",
    [
        [text("Let me see."), call(GOOD)],
        [text(WHOLE)],
        [text(WHOLE[:10]), text(WHOLE[10:])],
        [{"type": "thinking", "thinking": "hm"}, text(f"```json\n{WHOLE}\n```")],
        [call({"x": 1}, "other"), text(WHOLE)],
    ],
)
def test_reads_the_call_or_else_the_text(server: Server, judge: Judge, content: list[dict[str, Any]]) -> None:
    server.steps = [message(*content)]
    assert ask(judge("anthropic"), CHECK) == GOOD


@pytest.mark.parametrize(
    ("words", "dropped", "gone"),
    [
        ("`temperature` is deprecated for this model.", "temperature", "temperature"),
        ("Thinking may not be enabled when tool_choice forces tool use.", "tool_choice", "tools"),
        ("tools: Extra inputs are not permitted", "tool_choice", "tool_choice"),
    ],
)
def test_a_refused_parameter_is_dropped(server: Server, judge: Judge, words: str, dropped: str, gone: str) -> None:
    server.steps = [error(400, "invalid_request_error", words), message(text(WHOLE))]
    asked = judge("anthropic")
    assert ask(asked, CHECK) == GOOD
    assert gone not in server.seen[1].body
    assert "max_tokens" in server.seen[1].body
    assert asked.describe()["dropped"] == [dropped]


def test_a_limit_above_what_the_model_may_answer_is_lowered(server: Server, judge: Judge) -> None:
    words = "max_tokens: 9024 > 8192, which is the maximum allowed number of output tokens"
    server.steps = [error(400, "invalid_request_error", words), message(call({"verdicts": []}))]
    asked = judge("anthropic")
    fails(asked, {**CHECK, "claims": ["a"] * 40})
    assert [seen.body["max_tokens"] for seen in server.seen][:2] == [9024, 4096]
    assert asked.describe()["dropped"] == ["max_tokens above 4096"]


def test_a_repair_is_a_conversation_that_the_api_takes(server: Server, judge: Judge) -> None:
    server.steps = [message(call({"verdicts": "none"})), message(call(GOOD))]
    assert ask(judge("anthropic"), CHECK) == GOOD
    turns = server.seen[1].body["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[1]["content"] == '{"verdicts": "none"}'
    assert all(isinstance(turn["content"], str) and turn["content"] for turn in turns)


def test_an_empty_message_is_repaired_without_an_empty_turn(server: Server, judge: Judge) -> None:
    server.steps = [message(), message(call(GOOD))]
    assert ask(judge("anthropic"), CHECK) == GOOD
    assert server.seen[1].body["messages"][1]["content"] == "{}"


def test_a_reply_cut_off_is_asked_again_with_more_room(server: Server, judge: Judge) -> None:
    server.steps = [message(call({}), stop="max_tokens"), message(call(GOOD))]
    assert ask(judge("anthropic"), CHECK) == GOOD
    first, second = (seen.body["max_tokens"] for seen in server.seen)
    assert second == 4 * first


def test_a_refusal_is_not_asked_about_again(server: Server, judge: Judge) -> None:
    server.steps = [message(stop="refusal")]
    assert fails(judge("anthropic"), CHECK).reason == "judge_refused"
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("step", "reason", "final", "retryable"),
    [
        (error(401, "authentication_error", "invalid x-api-key"), "http_401", True, False),
        (error(403, "permission_error", "no permission"), "http_403", True, False),
        (error(404, "not_found_error", "model: the-judge"), "model_retired", True, False),
        (error(404, "not_found_error", "Not Found"), "http_404", True, False),
        (error(413, "request_too_large", "too large"), "http_413", False, False),
        (error(429, "rate_limit_error", "slow down", retry_after="3"), "http_429", False, True),
        (error(500, "api_error", "Internal server error"), "http_500", False, True),
        (error(529, "overloaded_error", "Overloaded"), "http_529", False, True),
        (error(400, "invalid_request_error", "credit balance is too low"), "http_400", False, False),
        (answer(200, {"type": "error", "error": {"message": "x"}}), "server_error", False, False),
        (answer(200, []), "bad_reply", False, False),
        (answer(200, "<html>"), "bad_reply", False, False),
    ],
)
def test_failures_have_the_same_reasons_as_elsewhere(
    server: Server, judge: Judge, step: Step, reason: str, final: bool, retryable: bool
) -> None:
    server.steps = [step]
    failure = fails(judge("anthropic", api_key_env="KEY"), CHECK)
    assert (failure.reason, failure.final, failure.retryable) == (reason, final, retryable)
    assert KEY not in failure.detail


def test_an_overloaded_server_is_asked_again(server: Server, judge: Judge, world: World, sleeper: Sleeper) -> None:
    server.steps = [error(529, "overloaded_error", "Overloaded"), message(call(GOOD))]
    answers = ask_all(judge("anthropic"), [question(CHECK)], world, lambda *_: None)
    assert isinstance(answers["case-1/judge"], Reply)
    assert len(sleeper.slept) == 1
