"""Pauses that servers ask for, header by header, and limits that are kept before a server has to refuse."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from fault_server import completion, listening, send
from models_helpers import ask

from fairgate.models.pool import ask_all
from fairgate.models.protocol import Left, Missing, Reply
from fairgate.models.rate_limits import asked_pause, left
from fairgate.models.server import LONGEST_REST_S, PROBES_S, Breaker, Pace, Server
from fairgate.world import World

NOW = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "Fri, 15 Jan 2027 08:00:07 GMT"}, 7),
        ({"Retry-After": "Fri, 15 Jan 2027 08:00:07 GMT", "Date": "Fri, 15 Jan 2027 08:00:05 GMT"}, 2),
        ({"Retry-After": "soon"}, None),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-requests": "9s", "x-ratelimit-remaining-requests": "3"}, None),
        (
            {
                "x-ratelimit-reset-requests": "9s",
                "x-ratelimit-remaining-requests": "3",
                "x-ratelimit-reset-tokens": "2s",
                "x-ratelimit-remaining-tokens": "0",
            },
            2,
        ),
        ({"X-RateLimit-Reset": str(int(NOW + 4))}, 4),
        ({"X-RateLimit-Reset": str(int((NOW + 4) * 1000))}, 4),
        ({"anthropic-ratelimit-requests-reset": "2027-01-15T08:00:03Z"}, 3),
        (
            {
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:03Z",
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-input-tokens-reset": "2027-01-15T09:00:00Z",
                "anthropic-ratelimit-input-tokens-remaining": "10",
            },
            3,
        ),
    ],
)
def test_every_way_to_say_it(headers: dict[str, str], seconds: float | None) -> None:
    assert asked_pause(headers, NOW, limited=True) == (None if seconds is None else pytest.approx(seconds))


def test_the_state_of_a_limit_says_nothing_about_another_failure() -> None:
    assert asked_pause({"X-RateLimit-Reset": "3600"}, NOW, limited=False) is None
    assert asked_pause({"Retry-After": "3"}, NOW, limited=False) == 3


DOWN = Missing("unreachable", "nobody there")


class Clock:
    """Stands until it is told to go on."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_server_that_answered_is_tried_again_before_it_is_given_up() -> None:
    clock = Clock()
    server = Server(clock)
    breaker = Breaker(clock, server, concurrency=2)
    breaker.saw(Reply("ok"), clock())
    for _ in range(5):
        breaker.saw(DOWN, clock())
    for pause in PROBES_S:
        assert breaker.closed is None
        assert server.enter() == pytest.approx(pause)
        server.leave(answered=False)
        breaker.saw(DOWN, clock() - 1)  # in flight when it went down: says nothing new
        assert breaker.closed is None
        clock.now += pause + 1
        breaker.saw(DOWN, clock())
    assert breaker.closed is not None
    assert "tried again 2 times; the rest was not asked" in breaker.closed.detail
    assert not breaker.closed.asked


def test_a_server_that_comes_back_is_asked_as_before() -> None:
    clock = Clock()
    breaker = Breaker(clock, Server(clock), concurrency=1)
    breaker.saw(Reply("ok"), clock())
    for _ in range(3):
        for _ in range(5):
            breaker.saw(DOWN, clock())
        clock.now += 100
        breaker.saw(Reply("ok"), clock())
    assert breaker.closed is None


def test_a_pace_spreads_calls() -> None:
    clock = Clock()
    pace = Pace(clock, 120)
    assert [pace.turn() for _ in range(3)] == pytest.approx([0, 0.5, 1.0])
    clock.now += 10
    assert pace.turn() == 0


# --- limits that a server speaks of while it still answers -----------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "found"),
    [
        ({}, None),
        ({"x-ratelimit-remaining-requests": "3"}, None),
        ({"x-ratelimit-reset-requests": "9s"}, None),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}, Left(3, 9)),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "0s"}, None),
        (
            {
                "x-ratelimit-limit-requests": "60",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1m0s",
            },
            Left(0, 1),
        ),
        ({"x-ratelimit-remaining-tokens": "50", "x-ratelimit-reset-tokens": "9s"}, None),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s"}, Left(0, 9)),
        (
            {
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "9s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "1m0s",
            },
            Left(0, 60),
        ),
        (
            {
                "anthropic-ratelimit-requests-remaining": "7",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:03Z",
                "anthropic-ratelimit-input-tokens-remaining": "10",
                "anthropic-ratelimit-input-tokens-reset": "2027-01-15T09:00:00Z",
            },
            Left(7, 3),
        ),
        ({"x-ratelimit-remaining": "2", "x-ratelimit-reset": str(int((NOW + 4) * 1000))}, Left(2, 4)),
        ({"ratelimit-remaining": "5", "ratelimit-reset": "4"}, Left(5, 4)),
        ({"ratelimit-limit": "0", "ratelimit-remaining": "0", "ratelimit-reset": "60"}, None),
        ({"ratelimit": "limit=9, remaining=1, reset=30"}, Left(1, 30)),
        ({"ratelimit": '"default";r=0;t=30'}, Left(0, 30)),
        ({"ratelimit-remaining": "many", "ratelimit-reset": "4"}, None),
    ],
)
def test_what_is_left(headers: dict[str, str], found: Left | None) -> None:
    assert left(headers, NOW) == found


def test_what_is_in_flight_may_not_be_counted_yet() -> None:
    clock = Clock()
    server = Server(clock)
    for _ in range(3):
        server.enter()
    server.leave(answered=True, left=Left(2, 10))  # two more are in flight: none may follow them for now
    assert server._is_used_up()
    server.leave(answered=True, left=Left(5, 10))  # an older answer that was overtaken
    assert server.enter() == 0
    assert server._is_used_up()
    server.leave(answered=True, left=Left(0, 10))
    server.leave(answered=True, left=Left(1, 10))
    assert server.enter() == 10  # one waits for all
    assert server._is_used_up()
    clock.now += 11
    server.leave(answered=True, left=Left(7, 10))
    assert not server._is_used_up()


def test_nobody_waits_long_for_a_limit_that_may_be_of_a_day() -> None:
    server = Server(Clock())
    server.enter()
    server.leave(answered=True, left=Left(0, 36_000))
    assert server.enter() == LONGEST_REST_S


@dataclass
class Limited:
    """Refuses what is too much, and says before what is left.

    :param told: the headers for what is left, what there can be, and the seconds until there is as much again
    :param refills: whether requests come back one by one, or all at once in the next window
    """

    told: Callable[[int, int, float], dict[str, str]]
    refills: bool = False
    limit: int = 8
    window_s: float = 1.0
    refused: int = 0
    _left: float = 8
    _since: float = field(default_factory=time.monotonic)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers["Content-Length"]))
        with self._lock:
            self._bring_back(time.monotonic())
            over = self._left < 1
            self.refused += over
            self._left -= not over
            whole = (self.limit - self._left) / self.limit * self.window_s
            reset = whole if self.refills else self._since + self.window_s - time.monotonic()
            headers = self.told(int(self._left), self.limit, reset)
        send(handler, 429 if over else 200, completion("ok"), **headers)

    def _bring_back(self, now: float) -> None:
        if self.refills:
            self._left = min(self.limit, self._left + (now - self._since) / self.window_s * self.limit)
            self._since = now
        elif now - self._since >= self.window_s:
            self._since, self._left = now, self.limit


def _openai(remaining: int, limit: int, reset: float) -> dict[str, str]:
    return {
        "x_ratelimit_limit_requests": str(limit),
        "x_ratelimit_remaining_requests": str(remaining),
        "x_ratelimit_reset_requests": f"{math.ceil(1000 * reset)}ms",
    }


def _anthropic(remaining: int, limit: int, reset: float) -> dict[str, str]:
    return {
        "anthropic_ratelimit_requests_limit": str(limit),
        "anthropic_ratelimit_requests_remaining": str(remaining),
        "anthropic_ratelimit_requests_reset": datetime.fromtimestamp(time.time() + reset + 0.01, UTC).isoformat(),
    }


def _drafted(remaining: int, limit: int, reset: float) -> dict[str, str]:
    return {"RateLimit_Remaining": str(remaining), "RateLimit_Reset": str(math.ceil(reset))}


def _nothing(remaining: int, limit: int, reset: float) -> dict[str, str]:
    return {}


@pytest.mark.parametrize(("told", "refills"), [(_openai, True), (_anthropic, True), (_drafted, False)])
def test_a_limit_that_a_server_speaks_of_is_never_passed(
    build: Any, told: Callable[[int, int, float], dict[str, str]], refills: bool
) -> None:
    server = Limited(told, refills)
    answers = asked(build, server, 20)
    assert all(isinstance(answer, Reply) for answer in answers)
    assert server.refused == 0


def test_a_limit_that_nobody_speaks_of_is_found_by_running_into_it(build: Any) -> None:
    server = Limited(_nothing)
    asked(build, server, 20)
    assert server.refused > 0


def asked(build: Any, server: Limited, count: int) -> list[Reply | Missing]:
    with listening(server.play) as url:
        model = {"type": "openai", "model": "m", "base_url": f"{url}/v1", "concurrency": 6}
        system = build({"type": "chat", "model": model, "messages": [{"turns": "history"}]})
        questions = [ask(f"q{number}") for number in range(count)]
        return list(ask_all(system, questions, World(environ={"NO_PROXY": "*"}), lambda *_: None).values())
