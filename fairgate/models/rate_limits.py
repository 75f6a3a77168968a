"""How long a server asks to be left alone, and what is left of its limits, in any of the headers in which servers say
so. Pure.

Sources: RFC 9110 section 10.2.3 (``Retry-After``: seconds or a date); OpenAI's ``retry-after-ms``,
``x-ratelimit-remaining-requests`` and ``x-ratelimit-reset-requests: 6m0s``; Anthropic's
``anthropic-ratelimit-requests-remaining`` and ``anthropic-ratelimit-requests-reset: <RFC 3339>``; the
``X-RateLimit-Reset`` of gateways, in seconds or as an epoch in seconds or milliseconds; ``RateLimit-Remaining`` and
``RateLimit-Reset`` (draft-ietf-httpapi-ratelimit-headers, to -07), and ``RateLimit: "name";r=0;t=30`` after it.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from fairgate.models.protocol import Left

_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?", re.ASCII)
_NUMBER = re.compile(r"-?\d{1,20}(?:\.\d{1,9})?", re.ASCII)
_RESET = re.compile(r"(?:(?:x-)?ratelimit-reset(?:-\w+)?|anthropic-ratelimit-[\w-]+-reset)", re.ASCII)
_REFILLED = re.compile(r"x-ratelimit-reset-\w+|anthropic-ratelimit-[\w-]+-reset", re.ASCII)
"""OpenAI and Anthropic fill their limits up bit by bit, and say when they will be full again: a part of that time
brings one more request. Others start a window afresh."""
_ITEM = re.compile(r"(?:^|[;,\s])(r|remaining|t|reset)=(\d{1,9})(?=$|[;,\s])", re.ASCII)

EPOCH_S = 1e9
"""A number this large is no wait but a date: seconds since 1970."""
EPOCH_MS = 1e12


def asked_pause(headers: Mapping[str, str], now: float, *, limited: bool) -> float | None:
    """Seconds that a server asks to wait; None when it does not say.

    ``Retry-After`` and ``retry-after-ms`` are about this call and win. Of the limits that are reset at some time those
    with nothing remaining count, or all where none says what remains; the longest wait of them.

    :param headers: of an answer that refused for now
    :param now: seconds since 1970 here; dates are measured against the server's own ``Date`` where it sends one
    :param limited: the answer is about a limit (429); others may carry the state of limits that they are not about
    """
    known = {name.lower(): value.strip() for name, value in headers.items()}
    now = _date(known.get("date", "")) or now
    if (milliseconds := _number(known.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    if (asked := _wait(known.get("retry-after", ""), now)) is not None:
        return asked
    return max(_resets(known, now), default=None) if limited else None


def left(headers: Mapping[str, str], now: float) -> Left | None:
    """What is left of the limit that is nearest to be used up; None when a server says nothing of it.

    How many requests some tokens are nobody knows: a limit on tokens counts when none is left at all.

    :param headers: of an answer, the names in small letters
    :param now: seconds since 1970 here; dates are measured against the server's own ``Date`` where it sends one
    """
    limits = [limit for limit in _limits(headers, now) if limit.seconds > 0]
    used_up = max((limit for limit in limits if limit.requests == 0), key=lambda limit: limit.seconds, default=None)
    return used_up or min(limits, key=lambda limit: limit.requests, default=None)


def _limits(headers: Mapping[str, str], now: float) -> Iterator[Left]:
    if not any("ratelimit" in name for name in headers):
        return
    now = _date(headers.get("date", "")) or now
    for name in filter(_RESET.fullmatch, headers):
        wait, remaining = _wait(headers[name].strip(), now), headers.get(_beside(name, "remaining"), "").strip()
        limit = headers.get(_beside(name, "limit"), "").strip()
        if limit == "0":
            continue  # a server that has none and says so in this way
        if wait is not None and remaining.isdecimal() and (remaining == "0" or "token" not in name):
            refilled = _REFILLED.fullmatch(name) and limit.isdecimal()
            missing = int(limit) - int(remaining) if refilled else 1
            yield Left(int(remaining), wait / max(1, missing))
    item = dict(_ITEM.findall(headers.get("ratelimit", "")))
    if {"r", "t"} <= item.keys():
        yield Left(int(item["r"]), float(item["t"]))
    if {"remaining", "reset"} <= item.keys():
        yield Left(int(item["remaining"]), float(item["reset"]))


def _resets(headers: Mapping[str, str], now: float) -> Iterator[float]:
    """Waits until a limit is reset, of those that are used up."""
    waits = {name: _wait(value, now) for name, value in headers.items() if _RESET.fullmatch(name)}
    left = {name: headers.get(_beside(name, "remaining")) for name in waits}
    told = any(value is not None for value in left.values())
    for name, wait in waits.items():
        if wait is not None and (not told or left[name] == "0"):
            yield wait


def _beside(reset: str, what: str) -> str:
    """The header beside it that says how much is left (``remaining``), or how much there can be (``limit``)."""
    if reset.startswith("anthropic"):
        return f"{reset.removesuffix('-reset')}-{what}"
    return reset.replace("-reset", f"-{what}", 1)


def _wait(text: str, now: float) -> float | None:
    """A number of seconds, an epoch, ``1m30s``, or a date, as seconds from now; never negative."""
    number = _number(text)
    if number is not None:
        if number >= EPOCH_MS:
            return max(0.0, number / 1000 - now)
        return max(0.0, number - now) if number >= EPOCH_S else number
    found = _DURATION.fullmatch(text)
    if text and found:
        hours, minutes, seconds, milliseconds = (float(part or 0) for part in found.groups())
        return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    date = _date(text)
    return None if date is None else max(0.0, date - now)


def _number(text: str) -> float | None:
    return max(0.0, float(text)) if _NUMBER.fullmatch(text) else None


def _date(text: str) -> float | None:
    """Seconds since 1970 of an HTTP date or an RFC 3339 time with its zone."""
    try:
        stated = parsedate_to_datetime(text)
        return stated.replace(tzinfo=stated.tzinfo or UTC).timestamp()
    except (ValueError, TypeError, OverflowError):
        pass
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=found.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None
