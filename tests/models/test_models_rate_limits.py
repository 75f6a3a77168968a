"""Pauses that servers ask for, header by header."""

import pytest

from fairgate.models.protocol import Missing, Reply
from fairgate.models.rate_limits import asked_pause
from fairgate.models.server import PROBES_S, Breaker, Pace, Server

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
