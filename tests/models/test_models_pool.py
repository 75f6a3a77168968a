"""The pool: bounded, patient where it pays, and never losing a question."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, Server, Sleeper, answer, ask, completion

from fairgate.errors import ConfigError, FairgateError
from fairgate.models.calling import pause
from fairgate.models.pool import ask_all
from fairgate.models.protocol import CallFailed, Missing, Question, Reply
from fairgate.world import World


@dataclass
class Played:
    """A system that does what a function says."""

    send: Callable[[Question], Reply]
    concurrency: int = 4
    retries: int = 2
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        inner = self.send

        def counted(question: Question) -> Reply:
            self.calls.append(question.id)
            return inner(question)

        self.send = counted

    def request(self, question: Question) -> Any:
        return dict(question.fields)

    def describe(self) -> dict[str, Any]:
        return {}

    def files(self) -> list[Path]:
        return []

    def close(self) -> None:
        """Nothing."""


def raising(error: BaseException) -> Callable[[Question], Reply]:
    def send(question: Question) -> Reply:
        raise error

    return send


def questions(count: int) -> list[Question]:
    return [ask(f"q{number:03}") for number in range(count)]


def ignore(question: Question, reply: Reply | Missing) -> None:
    """For tests that only look at the result."""


def test_the_order_of_results_is_that_of_the_questions(world: World) -> None:
    def send(question: Question) -> Reply:
        time.sleep(0.03 if question.id < "q004" else 0)
        return Reply(question.id)

    seen: list[str] = []
    caller: set[str] = set()

    def on_answer(question: Question, reply: Reply | Missing) -> None:
        seen.append(question.id)
        caller.add(threading.current_thread().name)

    asked = questions(12)
    answers = ask_all(Played(send), asked, world, on_answer)
    assert list(answers) == [question.id for question in asked]
    assert all(reply.text == id for id, reply in answers.items() if isinstance(reply, Reply))
    assert sorted(seen) == list(answers)
    assert seen != list(answers)
    assert caller == {threading.current_thread().name}


def test_no_question_needs_no_thread(world: World) -> None:
    assert ask_all(Played(raising(AssertionError())), [], world, ignore) == {}


def test_a_server_never_sees_more_at_once_than_the_concurrency(server: Server, build: Build, world: World) -> None:
    def slowly(handler: Any) -> None:
        time.sleep(0.02)
        completion("ok")(handler)

    server.steps = [slowly]
    model = {"type": "openai", "model": "m", "base_url": server.url, "concurrency": 3}
    system = build({"type": "chat", "model": model, "messages": [{"turns": "history"}]})
    answers = ask_all(system, questions(24), world, ignore)
    assert all(isinstance(reply, Reply) for reply in answers.values())
    assert server.most_at_once == 3


def test_a_server_that_recovers_is_asked_again(server: Server, build: Build, world: World, sleeper: Sleeper) -> None:
    server.steps = [answer(500, "no"), answer(429, "slow down", Retry_After="7"), completion("ok")]
    model = {"type": "openai", "model": "m", "base_url": server.url}
    system = build({"type": "chat", "model": model, "messages": [{"turns": "history"}]})
    (reply,) = ask_all(system, questions(1), world, ignore).values()
    assert isinstance(reply, Reply)
    assert (reply.text, reply.retries) == ("ok", 2)
    assert reply.seconds > 0
    assert sleeper.slept == pytest.approx([0.5, 7.0], abs=0.1)


@pytest.mark.parametrize(
    ("failure", "calls"),
    [
        (CallFailed("http_503", "down", retryable=True), 3),
        (CallFailed("http_429", "slow", retryable=True, retry_after=60), 9),
        (CallFailed("http_429", "slow", retryable=True, retry_after=61), 1),
        (CallFailed("http_400", "no"), 1),
        (ZeroDivisionError("secret"), 1),
    ],
)
def test_only_what_may_pass_is_tried_again(world: World, failure: Exception, calls: int) -> None:
    system = Played(raising(failure))
    (missing,) = ask_all(system, questions(1), world, ignore).values()
    assert isinstance(missing, Missing)
    assert len(system.calls) == calls
    assert missing.retries == calls - 1
    if isinstance(failure, CallFailed):
        assert (missing.reason, missing.detail.split(" (")[0]) == (failure.reason, failure.detail)
    else:
        assert (missing.reason, "ZeroDivisionError" in missing.detail) == ("internal_error", True)
        assert "secret" not in missing.detail


def test_a_pause_that_is_too_long_is_named(world: World) -> None:
    system = Played(raising(CallFailed("http_429", "slow", retryable=True, retry_after=3600)))
    (missing,) = ask_all(system, questions(1), world, ignore).values()
    assert isinstance(missing, Missing)
    assert missing.detail == "slow (it asks to wait 3600 s; fairgate waits at most 60 s)"


@pytest.mark.parametrize(
    ("tries", "chance", "seconds"),
    [(1, 0, 0.5), (1, 1, 1), (2, 0, 1), (3, 0.5, 3), (10, 1, 30)],
)
def test_pauses_grow(tries: int, chance: float, seconds: float) -> None:
    assert pause(tries, chance) == seconds


def test_a_final_failure_stops_the_asking(world: World) -> None:
    system = Played(raising(CallFailed("http_401", "no key", final=True)), concurrency=2)
    answers = ask_all(system, questions(50), world, ignore)
    assert len(answers) == 50
    assert {(reply.reason, reply.detail) for reply in answers.values() if isinstance(reply, Missing)} == {
        ("http_401", "no key")
    }
    assert len(system.calls) <= 2


@pytest.mark.parametrize(("reason", "asked"), [("unreachable", 8), ("timeout", 8), ("http_500", 8), ("http_400", 60)])
def test_a_system_that_is_down_is_not_asked_for_ever(world: World, reason: str, asked: int) -> None:
    system = Played(raising(CallFailed(reason, "nobody there", retryable=True)), retries=0)
    answers = ask_all(system, questions(60), world, ignore)
    assert {reply.reason for reply in answers.values() if isinstance(reply, Missing)} == {reason}
    assert asked <= len(system.calls) < asked + system.concurrency
    last = list(answers.values())[-1]
    assert isinstance(last, Missing)
    assert ("8 calls in a row; the rest was not asked" in last.detail) == (asked == 8)


def test_one_answer_in_between_shows_that_it_is_up(world: World) -> None:
    def send(question: Question) -> Reply:
        if question.id.endswith("4"):
            return Reply("ok")
        raise CallFailed("unreachable", "now and then")

    system = Played(send, concurrency=1)
    ask_all(system, [ask(f"q{number % 5}{number}x{number % 5}") for number in range(40)], world, ignore)
    assert len(system.calls) == 40


@pytest.mark.parametrize("error", [ConfigError("prompts/a.j2:3: no"), KeyboardInterrupt()])
def test_what_is_not_about_one_call_ends_the_run(world: World, error: BaseException) -> None:
    with pytest.raises((FairgateError, KeyboardInterrupt)) as caught:
        ask_all(Played(raising(error)), questions(50), world, ignore)
    assert caught.value is error


def test_two_questions_with_one_id_are_a_bug(world: World) -> None:
    with pytest.raises(ValueError, match="same id"):
        ask_all(Played(raising(AssertionError())), [ask("a"), ask("a")], world, ignore)


def test_what_a_system_prints_goes_to_stderr(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    def send(question: Question) -> Reply:
        print("noise")
        return Reply("ok")

    ask_all(Played(send), questions(1), world, ignore)
    assert capsys.readouterr() == ("", "noise\n")


INTERRUPTED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts this in the background ignores it
sys.path[:0] = [{tests!r}, {top!r}]
from test_models_pool import Played, ask_all, ignore, questions
from fairgate.world import World
def asked(question):
    print("asking", file=sys.stderr, flush=True)
    time.sleep(60)
ask_all(Played(asked), questions(9), World(), ignore)
"""


def test_an_interrupt_ends_at_once_however_long_a_call_takes() -> None:
    tests = Path(__file__).parent
    code = INTERRUPTED.format(tests=str(tests), top=str(tests.parents[1]))
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "asking" in process.stderr.readline()  # of several threads: two may share a line
    time.sleep(0.3)
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=10)
    finally:
        process.kill()
    assert time.monotonic() - started < 3
    assert "KeyboardInterrupt" in err
