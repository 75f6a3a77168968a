"""The small interface between who asks a model (a system under test, a judge) and the server that it runs on."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

from fairgate.models.protocol import CallFailed, Reply, Usage
from fairgate.models.text import excerpt

Message = dict[str, str]
"""``role`` and ``content``."""

_FILTERED = re.compile(r"content[ _](management|filter)|responsible ?ai", re.IGNORECASE)
_MAY_PASS = {408, 425, 429}


@dataclass(frozen=True)
class Schema:
    """A JSON Schema that a reply has to follow, and its name."""

    name: str
    value: dict[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a model, whatever it is sent over.

    :param messages: the conversation, instructions first
    :param params: parameters in the words of the API, sent as they stand
    :param schema: enforced where the server can
    :param room: tokens that the reply may take; None for what ``params`` say
    :param steady: answer as repeatably as the API can: temperature 0, and a seed where there is one
    """

    messages: tuple[Message, ...]
    params: Mapping[str, Any] = field(default_factory=dict)
    schema: Schema | None = None
    room: int | None = None
    steady: bool = False


@dataclass(frozen=True)
class Completion:
    """What a model answered; the text may be empty.

    :param truncated: a limit on tokens cut it off
    :param limited: the request itself stated a limit on tokens
    """

    reply: Reply
    truncated: bool
    limited: bool


class Wire(Protocol):
    """How one kind of server is asked. Used by several threads at once."""

    def body(self, wanted: Wanted) -> dict[str, Any]:
        """What would be sent to a server that takes everything: the same before and after a refusal."""
        ...

    def complete(self, wanted: Wanted) -> Completion:
        """Ask once; raises CallFailed: ``refused``, ``content_filter``, ``server_error``, ``no_answer``,
        ``bad_reply``, and whatever can happen on the way."""
        ...

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address and the parameters that the server refused. Never a secret."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


def refused(where: str, words: Any = None) -> CallFailed:
    """The failure of a model that does not want to answer: asking again changes nothing."""
    said = f": {excerpt(words)}" if isinstance(words, str) and words.strip() else ""
    return CallFailed("refused", f"{where}: the model refused{said}")


def filtered(where: str, words: str = "") -> CallFailed:
    """The failure of an answer, or a question, that a filter of the server held back."""
    return CallFailed("content_filter", f"{where}: a content filter held the answer back{': ' if words else ''}{words}")


def server_error(where: str, error: Any) -> CallFailed:
    """The failure that a server reports in a reply with status 200; worth another try when its code says so.

    :param error: what stands under ``error``: a text, or an object with ``message`` and ``code``
    """
    told = error if isinstance(error, dict) else {"message": error}
    sentence = _sentence(told.get("message") or told)
    if _FILTERED.search(f"{sentence} {told.get('code')}"):
        return filtered(where, sentence)
    code = told.get("code")
    passing = isinstance(code, int) and (code in _MAY_PASS or 500 <= code < 600)
    return CallFailed("server_error", f"{where} answered an error: {sentence}", retryable=passing, said=sentence)


def _sentence(message: Any) -> str:
    return excerpt(message if isinstance(message, str) else str(message))


@contextmanager
def paid(usage: Usage) -> Iterator[None]:
    """Within, a reply is read: when it cannot be used, its tokens are paid for all the same."""
    try:
        yield
    except CallFailed as failure:
        failure.usage = usage
        raise


def raise_named(failure: CallFailed, where: str) -> NoReturn:
    """Raise a failure again, by the name of the filter if the sentence of a refusal speaks of one."""
    if failure.reason == "http_400" and _FILTERED.search(failure.said):
        raise filtered(where, failure.said).instead_of(failure) from None
    raise failure


def token_count(value: Any) -> int | None:
    """A number of tokens as a server reports it; None for anything that is no such number."""
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53
    return value if counted else None


def reported(value: Any) -> str | None:
    """A name as a server reports it, fit to be shown; None for anything else."""
    return excerpt(value) or None if isinstance(value, str) else None
