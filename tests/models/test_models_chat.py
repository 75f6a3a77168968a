"""A chat model on an OpenAI-compatible server: what is sent, what is read, and every way in which it fails."""

import socket
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, Server, Step, answer, ask, completion

from fairgate.errors import ConfigError, InputError
from fairgate.models.chat import earlier_turns
from fairgate.models.protocol import CallFailed, Usage


@pytest.fixture
def chat(tmp_path: Path, server: Server, build: Build) -> Callable[..., Any]:
    """A chat system with one prompt file, on the scripted server."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "ask.j2").write_text("Đơn của {{ ten }}.\n", encoding="utf-8")

    def make(
        *, messages: list[dict[str, str]] | None = None, params: dict[str, Any] | None = None, **model: Any
    ) -> Any:
        settings = {"type": "openai", "model": "qwen", "base_url": f"{server.url}/v1", "timeout_s": 5, **model}
        parts = messages or [{"role": "user", "file": "prompts/ask.j2"}]
        return build({"type": "chat", "model": settings, "messages": parts, "params": params or {}})

    return make


def fails(system: Any, question: Any = None) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        system.send(question or ask(ten="Lan"))
    return caught.value


def test_sends_the_messages_and_params_of_production(chat: Callable[..., Any], server: Server, tmp_path: Path) -> None:
    (tmp_path / "prompts" / "system.md").write_text("Bạn duyệt đơn vay.", encoding="utf-8")
    server.steps = [completion("DUYỆT")]
    messages = [
        {"role": "system", "file": "prompts/system.md"},
        {"turns": "history"},
        {"role": "user", "file": "prompts/ask.j2"},
    ]
    params = {"temperature": 0.2, "max_tokens": 8, "response_format": {"type": "text"}}
    system = chat(messages=messages, params=params, api_key_env="KEY")

    reply = system.send(ask(ten="Lan", history=[{"role": "assistant", "content": "Xin chào"}]))

    assert reply.text == "DUYỆT"
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert seen.body == {
        "model": "qwen",
        "messages": [
            {"role": "system", "content": "Bạn duyệt đơn vay."},
            {"role": "assistant", "content": "Xin chào"},
            {"role": "user", "content": "Đơn của Lan."},
        ],
        **params,
    }


def test_reads_what_the_server_says_of_itself(chat: Callable[..., Any], server: Server) -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    server.steps = [completion("ok", model="qwen-2026-10", system_fingerprint="fp_1", usage=usage)]
    reply = chat().send(ask(ten="Lan"))
    assert (reply.model, reply.fingerprint, reply.usage) == ("qwen-2026-10", "fp_1", Usage(12, 3))


@pytest.mark.parametrize(
    ("step", "reason", "said"),
    [
        (answer(200, "<html>not JSON</html>"), "bad_reply", "answered no JSON"),
        (answer(200, b"\xff\xfe"), "bad_reply", "answered no JSON"),
        (answer(200, "[" * 100_000), "bad_reply", "answered no JSON"),
        (answer(200, {"choices": []}), "no_answer", "without a choice"),
        (answer(200, {"choices": "no"}), "bad_reply", "without a choice"),
        (answer(200, ["x"]), "bad_reply", "a list of 1"),
        (answer(200, {"choices": [{"message": None}]}), "bad_reply", "content is null"),
        (completion(None), "bad_reply", "content is null"),
        (completion([{"type": "text"}]), "bad_reply", "content is a list of 1"),
        (completion(" \n"), "empty_answer", "empty text"),
        (answer(200, {"error": {"message": "model is loading"}}), "server_error", "model is loading"),
        (
            answer(200, {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}),
            "truncated",
            "cut off by a limit on tokens before it said anything",
        ),
        (
            answer(200, {"choices": [{"message": {"content": None, "refusal": "I cannot"}}]}),
            "refused",
            "the model refused: I cannot",
        ),
        (
            answer(200, {"choices": [{"message": {"content": None, "tool_calls": [{}]}}]}),
            "bad_reply",
            "called a tool",
        ),
    ],
)
def test_a_reply_without_a_text_is_missing_evidence(
    chat: Callable[..., Any], server: Server, step: Step, reason: str, said: str
) -> None:
    server.steps = [step]
    failure = fails(chat())
    assert (failure.reason, failure.retryable, failure.final) == (reason, False, False)
    assert said in failure.detail


CUT_OFF = answer(200, {"choices": [{"message": {"content": "DUYỆT"}, "finish_reason": "length"}]})


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_an_answer_cut_off_by_the_limit_of_production_is_the_answer_of_production(
    chat: Callable[..., Any], server: Server, limit: str
) -> None:
    server.steps = [CUT_OFF]
    assert chat(params={limit: 4}).send(ask(ten="Lan")).text == "DUYỆT"


def test_an_answer_cut_off_by_anything_else_is_missing_evidence(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [CUT_OFF]
    failure = fails(chat(params={"temperature": 0}))
    assert (failure.reason, failure.retryable) == ("truncated", False)
    assert "set max_tokens as production does" in failure.detail


def test_a_lone_surrogate_cannot_stop_the_report(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [answer(200, '{"choices": [{"message": {"content": "a\\ud800b"}}]}')]
    assert chat().send(ask(ten="Lan")).text.encode() == "a\N{REPLACEMENT CHARACTER}b".encode()


@pytest.mark.parametrize(
    ("status", "retryable", "final"),
    [
        (301, False, True),
        (307, False, True),
        (400, False, False),
        (401, False, True),
        (403, False, True),
        (404, False, True),
        (408, True, False),
        (422, False, False),
        (429, True, False),
        (500, True, False),
        (503, True, False),
    ],
)
def test_a_status_other_than_2xx_names_itself(
    chat: Callable[..., Any], server: Server, status: int, retryable: bool, final: bool
) -> None:
    server.steps = [answer(status, {"error": {"message": "so said\x1b[31m the server"}}, Location=f"{server.url}/else")]
    failure = fails(chat(api_key_env="KEY"))
    assert (failure.reason, failure.retryable, failure.final) == (f"http_{status}", retryable, final)
    assert f"answered {status}" in failure.detail
    assert "so said [31m the server" in failure.detail
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry_After": "7"}, 7.0),
        ({"Retry_After": "-3"}, 0.0),
        ({"Retry_After": "soon"}, None),
        ({"Retry_After": "Mon, 30 Nov 2099 10:00:09 GMT"}, "far"),
    ],
)
def test_a_server_may_say_when_to_come_back(
    chat: Callable[..., Any], server: Server, headers: dict[str, str], seconds: float | str | None
) -> None:
    server.steps = [answer(429, {"error": "slow down"}, **headers)]
    wait = fails(chat()).retry_after
    assert (wait is not None and wait > 10**9) if seconds == "far" else wait == seconds


def test_a_key_that_is_echoed_is_never_shown(chat: Callable[..., Any], server: Server) -> None:
    for step in (
        answer(401, {"error": {"message": "x" * 290 + f" Incorrect API key: {KEY}"}}),
        answer(500, f"x Bearer {KEY}", Location=KEY),
        answer(302, "", Location=f"http://{KEY}.example/{KEY}"),
        answer(200, f"{'y' * 70}{KEY}"),
        answer(200, {"error": KEY}),
        answer(200, {KEY: 1}),
    ):
        server.steps = [step]
        detail = fails(chat(api_key_env="KEY")).detail
        assert KEY[:12] not in detail
    server.steps = [completion(f"my key is {KEY}")]
    assert chat(api_key_env="KEY").send(ask(ten="Lan")).text == "my key is [redacted]"


@pytest.mark.parametrize("variable", ["NOT_THERE", "BLANK"])
def test_a_secret_that_is_not_set_stops_the_asking(chat: Callable[..., Any], server: Server, variable: str) -> None:
    failure = fails(chat(api_key_env=variable))
    assert (failure.reason, failure.final) == ("missing_secret", True)
    assert f"{variable}: ${{{{ secrets.{variable} }}}}" in failure.detail
    assert server.seen == []


def test_netrc_adds_no_key(
    chat: Callable[..., Any], server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login somebody password secret\n", encoding="utf-8")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.steps = [completion("ok")]
    chat().send(ask(ten="Lan"))
    assert "Authorization" not in server.seen[0].headers


def test_no_cookie_ties_one_question_to_another(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [answer(200, {"choices": [{"message": {"content": "ok"}}]}, Set_Cookie="seen=yes; Path=/")]
    system = chat()
    system.send(ask(ten="Lan"))
    system.send(ask(ten="Hùng"))
    assert "Cookie" not in server.seen[1].headers


def test_nobody_listens(chat: Callable[..., Any]) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    failure = fails(chat(base_url=f"http://127.0.0.1:{port}/v1"))
    assert (failure.reason, failure.retryable) == ("unreachable", True)
    assert "connection refused" in failure.detail


def test_a_name_that_does_not_exist(chat: Callable[..., Any]) -> None:
    assert fails(chat(base_url="http://nobody.invalid/v1")).reason == "unreachable"


def _hang(server: Server) -> Step:
    return lambda handler: server.released.wait(10) and None


def _trickle(server: Server, start: bytes) -> Step:
    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(start)
        while not server.released.wait(0.05):
            handler.wfile.write(b"x")
            handler.wfile.flush()

    return step


@pytest.mark.parametrize("case", ["hang", "header", "body"])
def test_the_time_limit_holds_for_the_whole_exchange(chat: Callable[..., Any], server: Server, case: str) -> None:
    server.steps = [
        {
            "hang": _hang(server),
            "header": _trickle(server, b"HTTP/1.1 200 OK\r\nX-Slow: "),
            "body": _trickle(server, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        }[case]
    ]
    started = time.monotonic()
    failure = fails(chat(timeout_s=0.4))
    assert (failure.reason, failure.retryable) == ("timeout", True)
    assert failure.detail.endswith("/chat/completions did not answer within 0.4 s; timeout_s sets the limit")
    assert time.monotonic() - started < 2


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": ')
    handler.close_connection = True


def _hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def _broken_chunks(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}")
    handler.close_connection = True


@pytest.mark.parametrize("step", [_reset, _hang_up, _broken_chunks])
def test_a_broken_connection_is_worth_another_try(chat: Callable[..., Any], server: Server, step: Step) -> None:
    server.steps = [step]
    failure = fails(chat())
    assert (failure.reason, failure.retryable) == ("connection_lost", True)


def test_chunks_are_read(chat: Callable[..., Any], server: Server) -> None:
    body = b'{"choices": [{"message": {"content": "ok"}}]}'

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for byte in body:
            handler.wfile.write(b"1\r\n" + bytes([byte]) + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n")

    server.steps = [step]
    assert chat().send(ask(ten="Lan")).text == "ok"


def test_a_reply_has_a_greatest_size(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [answer(200, b'"' + b"x" * (11 * 1024 * 1024) + b'"')]
    failure = fails(chat())
    assert failure.reason == "bad_reply"
    assert "more than 10 MiB" in failure.detail


@pytest.mark.parametrize("name", ["model", "messages", "stream", "n"])
def test_params_do_not_override_what_fairgate_sets(chat: Callable[..., Any], name: str) -> None:
    with pytest.raises(
        ConfigError, match=rf"fairgate\.yaml:\d+: systems\.it\.params\.{name}: .*set by fairgate itself"
    ):
        chat(params={name: 2})


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("hello", "is the text 'hello', expected a list"),
        ({"role": "user"}, "is an object with keys role, expected a list"),
        ([1], r"\[0\] is the number 1"),
        ([{"role": "user", "content": "a", "name": "x"}], r"\[0\] is an object with keys role, content, name"),
        ([{"role": "boss", "content": "a"}], "role is the text 'boss', expected one of system"),
        ([{"role": ["user"], "content": "a"}], "role is a list of 1"),
        ([{"role": "user", "content": None}], "content is null"),
    ],
)
def test_malformed_turns_name_the_case(turns: Any, said: str) -> None:
    with pytest.raises(InputError, match=f"case c1: field 'history'.*{said}"):
        earlier_turns(ask(history=turns), "history")


@pytest.mark.parametrize("fields", [{}, {"history": None}, {"history": ""}, {"history": []}])
def test_a_case_may_have_no_earlier_turns(fields: dict[str, Any]) -> None:
    assert earlier_turns(ask(**fields), "history") == []


def test_describes_itself_without_a_secret(chat: Callable[..., Any], server: Server, tmp_path: Path) -> None:
    system = chat(api_key_env="KEY", family="qwen")
    assert system.describe() == {
        "type": "chat",
        "model": "qwen",
        "family": "qwen",
        "address": f"{server.url}/v1",
        "dropped": [],
    }
    assert system.files() == [tmp_path / "prompts" / "ask.j2"]
    assert KEY not in repr(vars(system))
