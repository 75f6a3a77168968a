"""A service over HTTP: a JSON template out, a JMESPath expression in."""

from typing import Any

import pytest
from models_helpers import KEY, Build, Server, answer, ask

from fairgate.errors import ConfigError
from fairgate.models.protocol import CallFailed


def service(server: Server, **settings: Any) -> dict[str, Any]:
    return {"type": "http", "url": f"{server.url}/ask?team=1", "answer": "data.answer", "timeout_s": 5, **settings}


def test_sends_the_case_and_reads_the_answer(server: Server, build: Build) -> None:
    server.steps = [answer(200, {"data": {"answer": "DUYỆT"}})]
    body = {"q": "Đơn của {{ ten }}", "income": "{{ income }}"}
    system = build(service(server, body=body, headers={"X-Case": "{{ ten }} "}, api_key_env="KEY"))

    assert system.send(ask(ten="Lan", income=40)).text == "DUYỆT"

    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/ask?team=1")
    assert seen.body == {"q": "Đơn của Lan", "income": 40}
    assert seen.headers["X-Case"] == "Lan"
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert system.request(ask(ten="Lan", income=40)) == {
        "method": "POST",
        "url": f"{server.url}/ask?team=1",
        "headers": {"X-Case": "Lan"},
        "body": seen.body,
    }


def test_get_sends_the_body_as_the_query(server: Server, build: Build) -> None:
    server.steps = [answer(200, {"data": {"answer": 1}})]
    body = {"q": "{{ ten }}", "n": "{{ income }}", "flag": True, "none": None}
    system = build(service(server, method="GET", url=f"{server.url}/ask", body=body))
    assert system.send(ask(ten="Lan & Hà", income=40)).text == "1"
    assert server.seen[0].path == "/ask?q=Lan+%26+H%C3%A0&n=40&flag=true"
    assert server.seen[0].body is None


@pytest.mark.parametrize(
    ("found", "text"), [("yes", "yes"), (1, "1"), (0.25, "0.25"), (True, "true"), (False, "false"), (0, "0")]
)
def test_an_answer_is_a_text_a_number_or_a_truth_value(server: Server, build: Build, found: Any, text: str) -> None:
    server.steps = [answer(200, {"data": {"answer": found}})]
    assert build(service(server)).send(ask()).text == text


@pytest.mark.parametrize(
    ("status", "body", "reason", "said"),
    [
        (200, {"data": {"answer": None}}, "no_answer", "finds nothing in the reply, an object with keys data"),
        (200, {}, "no_answer", "an empty object"),
        (200, [], "no_answer", "a list of 0"),
        (200, {"data": {"answer": {"text": "x"}}}, "bad_reply", "an object with keys text, expected a text"),
        (200, {"data": {"answer": ["x"]}}, "bad_reply", "a list of 1"),
        (200, {"data": {"answer": " "}}, "empty_answer", "empty text"),
        (200, "plain text", "bad_reply", "answered no JSON"),
        (200, '{"data": {"answer": NaN}}', "bad_reply", "NaN is no JSON value"),
        (204, b"", "bad_reply", "answered no JSON"),
        (502, "<html><h1>Bad gateway</h1>", "http_502", "answered 502 Bad Gateway"),
    ],
)
def test_anything_else_is_missing_evidence(
    server: Server, build: Build, status: int, body: Any, reason: str, said: str
) -> None:
    server.steps = [answer(status, body)]
    with pytest.raises(CallFailed) as caught:
        build(service(server)).send(ask())
    assert caught.value.reason == reason
    assert said in caught.value.detail
    assert "team=1" not in caught.value.detail
    assert "<html>" not in caught.value.detail


def test_an_expression_that_does_not_fit_the_reply_says_so(server: Server, build: Build) -> None:
    server.steps = [answer(200, {"data": {"answer": {}}})]
    with pytest.raises(CallFailed, match="does not fit the reply") as caught:
        build(service(server, answer="ceil(data.answer)")).send(ask())
    assert caught.value.reason == "bad_reply"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"answer": "data.["}, r"systems\.it\.answer: 'data\.\[' is no JMESPath expression"),
        ({"answer": "nofunction(@)"}, None),
        ({"body": {"q": "{{ ten"}}, r"systems\.it\.body\.q: "),
        ({"headers": {"X-A": "{% if %}"}}, r"systems\.it\.headers\.X-A: "),
        ({"method": "GET", "body": ["x"]}, r"systems\.it\.body: is a list of 1; GET sends it as the query"),
        ({"method": "GET", "body": {"a": {"b": 1}}}, r"systems\.it\.body: is an object with keys a; GET"),
    ],
)
def test_what_can_be_checked_is_checked_before_anything_is_asked(
    server: Server, build: Build, settings: dict[str, Any], said: str | None
) -> None:
    if said is None:
        build(service(server, **settings))
        return
    with pytest.raises(ConfigError, match=said):
        build(service(server, **settings))


def test_a_case_cannot_add_a_header(server: Server, build: Build) -> None:
    system = build(service(server, headers={"X-Name": "{{ ten }}"}))
    with pytest.raises(ConfigError, match=r"systems\.it\.headers\.X-Name: .*line break.*case c1"):
        system.send(ask(ten="Lan\r\nX-Admin: yes"))
    assert server.seen == []


def test_a_header_may_hold_any_language(server: Server, build: Build) -> None:
    server.steps = [answer(200, {"data": {"answer": "ok"}})]
    build(service(server, headers={"X-Name": "{{ ten }}"})).send(ask(ten="Nguyễn"))
    assert server.seen[0].headers["X-Name"].encode("latin-1").decode() == "Nguyễn"


def test_describes_itself_without_query_or_headers(server: Server, build: Build) -> None:
    described = build(service(server, headers={"X-A": "b"})).describe()
    assert described == {"type": "http", "model": None, "family": None, "address": f"{server.url}/ask"}
