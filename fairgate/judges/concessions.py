"""What a server does not take, learnt once: a refused parameter is left out, or sent in its next form.

Servers that call themselves compatible differ in what they refuse, and newer models refuse what older ones needed
(a temperature, ``max_tokens``). A refusal costs one call; it is kept, and shown in the report, only when the call
without the parameter went through.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from fairgate.judges.prompts import Ask
from fairgate.models.protocol import CallFailed

Sent = TypeVar("Sent")

REFUSALS = ("http_400", "http_422")


@dataclass(frozen=True)
class Form:
    """One way to send a parameter.

    :param name: as the report shows it, should the server refuse it
    :param part: the keys of the body
    """

    name: str
    part: Callable[[Ask], dict[str, Any]]


@dataclass(frozen=True)
class Parameter:
    """Something that a server may refuse.

    :param named: finds it in the sentence of a refusal
    :param forms: the most wanted first; after the last one it is left out
    """

    named: re.Pattern[str]
    forms: tuple[Form, ...]


class Concessions:
    """The forms that one server takes. Used by several threads at once."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = tuple(parameters)
        self._levels = (0,) * len(self._parameters)
        self._lock = Lock()

    @property
    def dropped(self) -> list[str]:
        """Names of the forms that the server refused."""
        return [
            form.name
            for parameter, level in zip(self._parameters, self._levels, strict=True)
            for form in parameter.forms[:level]
        ]

    def body(self, base: Mapping[str, Any], ask: Ask) -> dict[str, Any]:
        """The body of a request, with every parameter in the form that the server is known to take."""
        return self._body(base, ask, self._levels)

    def send(self, base: Mapping[str, Any], ask: Ask, post: Callable[[dict[str, Any]], Sent]) -> Sent:
        """Send it; while the server refuses a parameter by name, send it again with that one step less.

        :param post: sends a body once
        :raises CallFailed: as ``post`` does
        """
        levels = self._levels
        while True:
            try:
                sent = post(self._body(base, ask, levels))
            except CallFailed as failure:
                fewer = self._without(failure, levels)
                if fewer is None:
                    raise
                levels = fewer
            else:
                self._learn(levels)
                return sent

    def _body(self, base: Mapping[str, Any], ask: Ask, levels: Sequence[int]) -> dict[str, Any]:
        body = dict(base)
        for parameter, level in zip(self._parameters, levels, strict=True):
            if level < len(parameter.forms):
                body.update(parameter.forms[level].part(ask))
        return body

    def _without(self, failure: CallFailed, levels: tuple[int, ...]) -> tuple[int, ...] | None:
        """The levels without the parameter that a refusal names first; None when it names none that was sent."""
        if failure.reason not in REFUSALS:
            return None
        named = [
            (found.start(), index)
            for index, (parameter, level) in enumerate(zip(self._parameters, levels, strict=True))
            if level < len(parameter.forms) and (found := parameter.named.search(failure.said))
        ]
        if not named:
            return None
        refused = min(named)[1]
        return tuple(level + (index == refused) for index, level in enumerate(levels))

    def _learn(self, levels: tuple[int, ...]) -> None:
        with self._lock:
            self._levels = tuple(map(max, self._levels, levels))
