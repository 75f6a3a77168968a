"""What a server does not take, learnt once: a refused parameter is sent in its next form, and then left out.

Servers that call themselves compatible differ in what they refuse, and newer models refuse what older ones needed
(a temperature, ``max_tokens``). A refusal costs one call; it is kept, and shown in the report, only when the call
without the parameter went through.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar

from fairgate.models.protocol import CallFailed

Sent = TypeVar("Sent")
Body = Mapping[str, Any]

REFUSALS = ("http_400", "http_422", "server_error")


@dataclass(frozen=True)
class Step:
    """One thing less to ask of a server.

    :param name: what is given up, as the report shows it
    :param take: the body without it; None when the body does not have it
    """

    name: str
    take: Callable[[Body], dict[str, Any] | None]


@dataclass(frozen=True)
class Parameter:
    """Something that a server may refuse.

    :param named: finds it in the sentence of a refusal
    :param steps: in the order in which they are given up
    """

    named: re.Pattern[str]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Through(Generic[Sent]):
    """What went through.

    :param sent: what the server answered to it
    :param dropped: what it had to do without, by name
    :param refusals: the calls that it took to find out
    """

    sent: Sent
    body: dict[str, Any]
    dropped: tuple[str, ...]
    refusals: tuple[CallFailed, ...]


class Concessions:
    """The steps that one server did not take. Used by several threads at once."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = tuple(parameters)
        self._steps = [step for parameter in self._parameters for step in parameter.steps]
        self._made: frozenset[str] = frozenset()
        self._lock = Lock()

    @property
    def dropped(self) -> list[str]:
        """What was given up, by name."""
        return self._ordered(self._made)

    def send(self, body: Body, post: Callable[[dict[str, Any]], Sent]) -> "Through[Sent]":
        """Send it; while the server refuses a parameter by name, send it again with that one step less.

        :param post: sends a body once and reads the answer
        :raises CallFailed: as ``post`` does
        """
        made = self._made
        refusals: list[CallFailed] = []
        while True:
            less, taken = self._reduced(body, made)
            try:
                sent = post(less)
            except CallFailed as failure:
                step = self._next(failure, less, made)
                if step is None:
                    raise failure.after(refusals) from None
                refusals.append(failure)
                made |= {step.name}
            else:
                self._learn(made)
                return Through(sent, less, tuple(taken), tuple(refusals))

    def _reduced(self, body: Body, made: frozenset[str]) -> tuple[dict[str, Any], list[str]]:
        """The body after every step that was made, and the names of those that it had to take."""
        less, taken = dict(body), []
        for step in self._steps:
            if step.name in made and (after := step.take(less)) is not None:
                less = after
                taken.append(step.name)
        return less, taken

    def _next(self, failure: CallFailed, body: Body, made: frozenset[str]) -> Step | None:
        """The next step of the parameter that a refusal names first; None when it names none that was sent."""
        if failure.reason not in REFUSALS or failure.retryable:
            return None
        named: list[tuple[int, Step]] = []
        for parameter in self._parameters:
            found = parameter.named.search(failure.said)
            left = [step for step in parameter.steps if step.name not in made and step.take(body) is not None]
            if found and left:
                named.append((found.start(), left[0]))
        return min(named, key=lambda pair: pair[0])[1] if named else None

    def _learn(self, made: frozenset[str]) -> None:
        with self._lock:
            self._made |= made

    def _ordered(self, made: frozenset[str]) -> list[str]:
        return [step.name for step in self._steps if step.name in made]


def drop(*keys: str, name: str | None = None) -> Step:
    """Leave keys out, shown as the first of them."""

    def take(body: Body) -> dict[str, Any] | None:
        if keys[0] not in body:
            return None
        return {key: value for key, value in body.items() if key not in keys}

    return Step(name or keys[0], take)


def rename(old: str, new: str, name: str) -> Step:
    """Send a value under another key."""

    def take(body: Body) -> dict[str, Any] | None:
        if old not in body:
            return None
        return {new if key == old else key: value for key, value in body.items() if key != new}

    return Step(name, take)


def by_name(key: str) -> re.Pattern[str]:
    """Finds the name of a parameter in a sentence, as a word."""
    return re.compile(rf"(?<!\w){re.escape(key)}(?!\w)", re.IGNORECASE)
