"""Models by litellm: against the real package and a loopback server where it is installed, refused where it is not."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from models_helpers import KEY, Build, Server, Step, answer, ask, completion

from fairgate.errors import ConfigError
from fairgate.models.litellm import failure_of
from fairgate.models.protocol import CallFailed, Usage

INSTALLED = importlib.util.find_spec("litellm") is not None
needs_litellm = pytest.mark.skipif(not INSTALLED, reason="litellm is not installed (pip install 'fairgate[litellm]')")
# Its own imports warn.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ResourceWarning")


@pytest.fixture
def chat(tmp_path: Path, server: Server, build: Build) -> Callable[..., Any]:
    (tmp_path / "ask.j2").write_text("Đơn của {{ ten }}.", encoding="utf-8")

    def make(params: dict[str, Any] | None = None, **model: Any) -> Any:
        settings = {"type": "litellm", "model": "openai/m", "base_url": f"{server.url}/v1", "timeout_s": 20, **model}
        settings.setdefault("api_key_env", "KEY")
        messages = [{"role": "user", "file": "ask.j2"}]
        return build({"type": "chat", "model": settings, "messages": messages, "params": params or {}})

    return make


def fails(system: Any) -> CallFailed:
    with pytest.raises(CallFailed) as caught:
        system.send(ask(ten="Lan"))
    return caught.value


@pytest.mark.skipif(INSTALLED, reason="litellm is installed")
def test_without_the_package_the_extra_is_named(chat: Callable[..., Any]) -> None:
    with pytest.raises(ConfigError, match=r"systems\.it\.model\.type: .*pip install 'fairgate\[litellm\]'"):
        chat()


def test_it_is_imported_by_nothing_else() -> None:
    code = "import sys, fairgate.gate, fairgate.models.wires, fairgate.cli; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["api_key", "mock_response", "fallbacks", "base_url"])
def test_params_carry_no_secret_and_no_other_model(chat: Callable[..., Any], name: str) -> None:
    with pytest.raises(ConfigError, match=rf"systems\.it\.params\.{name}: {name} is set by fairgate itself"):
        chat({name: "x"})


class RateLimitError(Exception):
    status_code = 429


class Timeout(Exception):
    status_code = 408


class ContentPolicyViolationError(Exception):
    status_code = 400


class APIConnectionError(Exception):
    status_code = 500


class Refused(Exception):
    status_code = 401


@pytest.mark.parametrize(
    ("error", "reason", "retryable", "final"),
    [
        (RateLimitError(KEY), "http_429", True, False),
        (Timeout("late"), "timeout", True, False),
        (ContentPolicyViolationError("no"), "content_filter", False, False),
        (APIConnectionError("gone"), "unreachable", True, False),
        (Refused(f"bad {KEY}"), "http_401", False, True),
        (ValueError("odd"), "system_error", False, False),
    ],
)
def test_exceptions_have_the_reasons_of_their_status(
    error: Exception, reason: str, retryable: bool, final: bool
) -> None:
    from fairgate.models.secret import Secret

    failure = failure_of(error, "here", Secret("KEY", KEY), 0.0)
    assert (failure.reason, failure.retryable, failure.final) == (reason, retryable, final)
    assert KEY not in failure.detail + failure.said


@needs_litellm
def test_asks_and_reads_as_any_other_model(chat: Callable[..., Any], server: Server) -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
    server.steps = [completion("DUYỆT", model="m-1", id="x", object="chat.completion", created=1, usage=usage)]
    system = chat({"temperature": 0.2, "max_tokens": 9})
    reply = system.send(ask(ten="Lan"))
    assert (reply.text, reply.model, reply.usage) == ("DUYỆT", "m-1", Usage(3, 1))
    (seen,) = server.seen
    headers = {name.lower(): value for name, value in seen.headers.items()}
    assert (seen.path, headers["authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert seen.body == {"model": "m", "messages": [{"role": "user", "content": "Đơn của Lan."}], "temperature": 0.2,
                         "max_tokens": 9}  # fmt: skip
    described = {"type": "chat", "model": "openai/m", "family": None, "address": f"{server.url}/v1", "dropped": []}
    assert system.describe() == described


@needs_litellm
def test_a_refused_parameter_is_dropped_here_too(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [answer(400, {"error": {"message": "Unsupported value: 'temperature'"}}), completion("yes")]
    assert chat({"temperature": 0.2}).send(ask(ten="Lan")).dropped == ("temperature",)


@needs_litellm
@pytest.mark.parametrize(
    ("step", "reason", "retryable"),
    [
        (answer(401, {"error": {"message": f"Incorrect API key {KEY}"}}), "http_401", False),
        (answer(429, {"error": {"message": "slow"}}, Retry_After="7"), "http_429", True),
        (answer(503, {"error": {"message": "busy"}}), "http_503", True),
        (answer(400, {"error": {"message": "the content management policy"}}), "content_filter", False),
        (completion(None, id="x", object="chat.completion", created=1), "bad_reply", False),
        (answer(200, {"id": "x", "choices": []}), "no_answer", False),
    ],
)
def test_failures_are_asked_once_and_named(
    chat: Callable[..., Any], server: Server, step: Step, reason: str, retryable: bool
) -> None:
    server.steps = [step]
    failure = fails(chat())
    assert (failure.reason, failure.retryable) == (reason, retryable)
    assert KEY not in failure.detail
    assert len(server.seen) == 1
    assert failure.retry_after == (7.0 if reason == "http_429" else None)


@needs_litellm
def test_a_server_that_hangs_is_late(chat: Callable[..., Any], server: Server) -> None:
    server.steps = [lambda handler: server.released.wait(20) and None]
    assert fails(chat(timeout_s=0.5)).reason == "timeout"
