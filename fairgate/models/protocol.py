"""The small interface behind which every system under test stands.

A system is asked one variant at a time. ``request`` says, without calling anything, exactly what would be asked (so
that two variants can be compared, shown, and later be the key of a cache); ``send`` asks it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

Fields = Mapping[str, Any]
"""A case with every axis filled in: field name to text (or, from JSONL, any JSON value)."""


@dataclass(frozen=True)
class Question:
    """One expected observation: an id that is unique in the run, and the filled-in case.

    :param fresh: the cache neither answers it nor keeps its answer: it is compared with answers of this run alone
    """

    id: str
    fields: Fields
    fresh: bool = False


@dataclass(frozen=True)
class Usage:
    """Tokens as the server reports them; None where it reports none."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None

    def plus(self, other: "Usage") -> "Usage":
        """The sum; what only one of them knows counts as it is."""
        return Usage(
            _plus(self.prompt_tokens, other.prompt_tokens), _plus(self.completion_tokens, other.completion_tokens)
        )


def _plus(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else one + other


@dataclass(frozen=True)
class Left:
    """What a server says is left of its limits.

    :param requests: that it takes now
    :param seconds: until it takes more
    """

    requests: int
    seconds: float


@dataclass(frozen=True)
class Reply:
    """What a system answered, before anybody reads a decision into it.

    :param contexts: what it retrieved for the answer, in its order; None when it says nothing of it
    :param dropped: parameters of the question that the server refused, so that it was asked without them
    :param usage: of all the calls that it took
    :param extra_calls: those beside one for each try: a repair, more room, a parameter that was refused
    :param left: of the server's limits, where it says so
    :param partial: a part of what was asked for is missing: it can be used, and another run has to ask again
    """

    text: str
    model: str | None = None
    fingerprint: str | None = None
    usage: Usage = field(default_factory=Usage)
    contexts: tuple[str, ...] | None = None
    dropped: tuple[str, ...] = ()
    seconds: float = 0.0
    retries: int = 0
    extra_calls: int = 0
    left: Left | None = None
    partial: bool = False

    def after(self, before: "Iterable[Reply | CallFailed]") -> "Reply":
        """The same reply, when it took other calls before it."""
        calls, usage = taken(before)
        return replace(self, usage=usage.plus(self.usage), extra_calls=self.extra_calls + calls)


@dataclass(frozen=True)
class Missing:
    """An observation that was expected and did not come: evidence that is missing, never a score.

    :param reason: snake_case code, e.g. ``unreachable``, ``timeout``, ``http_401``, ``missing_secret``
    :param detail: one sentence for people, free of secrets
    :param asked: whether a call was made at all
    :param usage: what the server reported for it all the same: a reply that could not be used is paid for too
    :param extra_calls: see ``Reply``
    """

    reason: str
    detail: str
    retries: int = 0
    seconds: float = 0.0
    asked: bool = True
    usage: Usage = field(default_factory=Usage)
    extra_calls: int = 0


class CallFailed(Exception):
    """Raised by ``send``; becomes ``Missing`` in one place, the engine.

    :param retryable: worth asking again (429, 5xx, a broken connection)
    :param retry_after: seconds the server asked for, if it did
    :param final: no call to this system can succeed in this run (401, 403, 404, no secret): stop asking
    :param asked: whether a call was made at all
    :param said: what the server itself said about it, one bounded line
    :param usage: tokens that it took all the same
    :param extra_calls: see ``Reply``
    """

    def __init__(  # noqa: PLR0913 - each is one fact about the failure
        self,
        reason: str,
        detail: str,
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        final: bool = False,
        asked: bool = True,
        said: str = "",
        usage: Usage | None = None,
        extra_calls: int = 0,
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail
        self.retryable = retryable
        self.retry_after = retry_after
        self.final = final
        self.asked = asked
        self.said = said
        self.usage = usage or Usage()
        self.extra_calls = extra_calls

    def after(self, before: "Iterable[Reply | CallFailed]") -> "CallFailed":
        """This failure, when other calls came before it."""
        calls, usage = taken(before)
        self.usage = usage.plus(self.usage)
        self.extra_calls += calls
        return self

    def instead_of(self, other: "Reply | CallFailed") -> "CallFailed":
        """This failure in place of a reply that cannot be used, or of a failure that has a better name."""
        self.usage, self.extra_calls = other.usage, other.extra_calls
        return self


def taken(calls: Iterable[Reply | CallFailed]) -> tuple[int, Usage]:
    """How many calls these were, and their tokens."""
    count, usage = 0, Usage()
    for call in calls:
        count, usage = count + 1 + call.extra_calls, usage.plus(call.usage)
    return count, usage


class System(Protocol):
    """What fairgate asks of a system under test. ``send`` is called by several threads at once."""

    concurrency: int
    retries: int

    def request(self, question: Question) -> Any:
        """What would be asked, as plain JSON; raises ConfigError when it cannot be put together."""
        ...

    def send(self, question: Question) -> Reply:
        """Ask, and wait for the answer at most the system's time limit; raises CallFailed."""
        ...

    def describe(self) -> dict[str, Any]:
        """For the report: type, model, family, address. Never a secret."""
        ...

    def files(self) -> list[Path]:
        """The files that decide what is asked or answered (prompts, recorded answers): part of a run's fingerprint."""
        ...

    def close(self) -> None:
        """Give back connections and processes."""
        ...
