"""What is known of a server while it is asked: when it may be asked next, by how many at once, whether it is down."""

from collections.abc import Callable
from threading import Condition, Lock

from fairgate.models.protocol import Left, Missing, Reply

PROBES_S = (10.0, 20.0)
"""Pauses after which a server that answered before and went silent is tried once more, by one question at a time."""

AT_LEAST_IN_A_ROW = 5

LONGEST_REST_S = 60.0
"""After an answer nobody waits longer for a limit to be reset: a limit for a day may not be the one that stops us."""


class Server:
    """Everybody who asks one server shares this: a 429 to one of them slows them all."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Free to be asked."""
        self._clock = clock
        self._free = Condition()
        self._at_once = 0
        self._width = float("inf")
        self._held_until = float("-inf")
        self._least: int | None = None
        self._least_until = float("-inf")

    def enter(self) -> float:
        """Wait until there is room for one more call; ``leave`` gives the room back.

        :returns: seconds that the caller has to wait before it asks
        """
        with self._free:
            while self._at_once + 1 > max(1.0, self._width) or self._is_used_up():
                self._free.wait()
            self._at_once += 1
            return max(0.0, self._held_until - self._clock())

    def leave(self, *, answered: bool, left: Left | None = None) -> None:
        """A call is over. Each answer lets a little more be asked at once: additive increase.

        :param left: what the answer said is left of the server's limits
        """
        with self._free:
            self._at_once -= 1
            if answered and self._width != float("inf"):
                self._width += 1 / self._width
            if left is None:
                self._least = None if self._at_once == 0 else self._least
                self._free.notify(2)
                return
            now, seconds = self._clock(), min(left.seconds, LONGEST_REST_S)
            if self._least is None or now >= self._least_until or left.requests < self._least:
                self._least, self._least_until = left.requests, now + seconds
            if left.requests == 0:
                self._held_until = max(self._held_until, now + seconds)
            self._free.notify(max(2, self._least - self._at_once))

    def _is_used_up(self) -> bool:
        """Whether one more may be one too many: those in flight may not be counted yet in what is left, and answers
        overtake each other, so that the least of a while counts. One at a time may always go: where nothing is left
        it waits, and its answer says what there is then."""
        return self._least is not None and self._at_once >= max(1, self._least)

    def hold(self, seconds: float) -> None:
        """Nobody asks for so long, then half as many at once as now: multiplicative decrease, once for each hold."""
        with self._free:
            now = self._clock()
            if now >= self._held_until:
                self._width = max(1.0, min(self._width, self._at_once) / 2)
            self._held_until = max(self._held_until, now + seconds)

    def probe_after(self, seconds: float) -> None:
        """Nobody asks for so long, and then one at a time."""
        with self._free:
            self._held_until = max(self._held_until, self._clock() + seconds)
            self._width = 1.0

    def recovered(self) -> None:
        """It answers again: as many at once as ever."""
        with self._free:
            self._width = float("inf")
            self._free.notify_all()


class Breaker:
    """Notices that a party is down, so that the rest of its questions is not asked one by one for hours.

    :ivar closed: what becomes of every further question; None while it is worth asking
    """

    def __init__(self, clock: Callable[[], float], server: Server, concurrency: int) -> None:
        """:param concurrency: twice as many failures in a row, and at least five, mean that it is down"""
        self.closed: Missing | None = None
        self._clock = clock
        self._server = server
        self._enough = max(AT_LEAST_IN_A_ROW, 2 * concurrency)
        self._lock = Lock()
        self._in_a_row = 0
        self._answered = False
        self._probes = 0
        self._since = float("-inf")

    def close(self, missing: Missing, detail: str) -> None:
        """Nothing more is asked; the first reason stands."""
        with self._lock:
            self._close(missing, detail)

    def saw(self, answer: Reply | Missing, started: float) -> None:
        """Count an answer, or one that did not come.

        :param started: when the call began, by the clock; one that began before the last pause says nothing new
        """
        with self._lock:
            if isinstance(answer, Missing) and is_down(answer.reason):
                if started >= self._since:
                    self._count(answer)
                return
            self._in_a_row = 0
            self._answered = True
            if self._probes:
                self._probes = 0
                self._server.recovered()

    def _count(self, missing: Missing) -> None:
        self._in_a_row += 1
        if self._in_a_row < self._enough:
            return
        if self._answered and self._probes < len(PROBES_S):
            self._server.probe_after(PROBES_S[self._probes])
            self._probes += 1
            self._since = self._clock()
            self._in_a_row = self._enough - 1  # the next failure says that it is still down
            return
        tried = f", tried again {self._probes} times" if self._probes else ""
        self._close(missing, f"{missing.detail} ({self._enough} calls in a row{tried}; the rest was not asked)")

    def _close(self, missing: Missing, detail: str) -> None:
        if self.closed is None:
            self.closed = Missing(missing.reason, detail, asked=False)


def is_down(reason: str) -> bool:
    """Whether a failure is of the kind that a server has which is down: nobody there, no answer in time, 5xx."""
    return reason in ("unreachable", "timeout", "connection_lost") or reason.startswith("http_5")


class Pace:
    """At most so many calls a minute, evenly spread."""

    def __init__(self, clock: Callable[[], float], per_minute: int) -> None:
        """:param per_minute: at least 1"""
        self._clock = clock
        self._every = 60 / per_minute
        self._lock = Lock()
        self._next = float("-inf")

    def turn(self) -> float:
        """Take the next place; gives the seconds to wait for it."""
        with self._lock:
            now = self._clock()
            place = max(now, self._next)
            self._next = place + self._every
            return place - now
