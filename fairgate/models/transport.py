"""One HTTP exchange with a system: bounded in time and size, every failure named.

A question is independent of every other: no cookie is kept. A key goes only where the configuration says: no redirect
is followed, and ``.netrc`` adds none. What comes back is freed of the key before anybody reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from json import dumps
from typing import Any
from urllib.parse import urlsplit

import requests
import urllib3
import urllib3.exceptions as errors
from requests.auth import AuthBase

from fairgate.models.connections import Connections
from fairgate.models.deadline import OutOfTime, within
from fairgate.models.protocol import CallFailed, Left
from fairgate.models.rate_limits import asked_pause, left
from fairgate.models.secret import Secret
from fairgate.models.text import excerpt, parse_json
from fairgate.world import World

MAX_BODY = 10 * 1024 * 1024
CONNECT_TIMEOUT_S = 10.0
CHUNK = 64 * 1024
TOO_LATE = "did not answer within {limit:g} s; timeout_s sets the limit"

_RETRYABLE = {408, 425, 429}
_FINAL = {401, 403, 404}


@dataclass(frozen=True)
class Answered:
    """What a server answered, body read; the names of its headers in small letters."""

    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Exchanged:
    """The JSON value that a server answered, and what is left of its limits."""

    value: Any
    left: Left | None = None


class _Key(AuthBase):
    """The key of this system and no other; without one it keeps ``.netrc`` from adding its own."""

    def __init__(self, key: str | None, header: str | None) -> None:
        self._key = key
        self._header = header

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        if self._key is None:
            return request
        if self._header is None:
            request.headers["Authorization"] = f"Bearer {self._key}"
        else:
            request.headers[self._header] = self._key
        return request


class Transport:
    """A connection pool to one server, as wide as the system's concurrency."""

    def __init__(
        self,
        world: World,
        secret: Secret | None,
        *,
        concurrency: int,
        timeout_s: float,
        key_header: str | None = None,
    ) -> None:
        """
        :param timeout_s: seconds for a whole exchange, from the connection to the last byte
        :param key_header: the header that carries the key as it is; None for ``Authorization: Bearer``
        """
        self._clock = world.clock
        self._now = world.now
        self._secret = secret
        self._key_header = key_header
        self._timeout_s = timeout_s
        self._connections = Connections(world.session(), concurrency)
        self._timeout = urllib3.Timeout(connect=min(CONNECT_TIMEOUT_S, timeout_s), read=timeout_s)

    def exchange(
        self,
        method: str,
        url: str,
        *,
        json: Any = None,
        params: Any = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> Exchanged:
        """What the server answers.

        :raises CallFailed: for everything else, in a sentence without the key
        """
        where = address(url)
        auth = _Key(self._secret.reveal() if self._secret else None, self._key_header)
        sent, body = dict(headers or {}), None
        if json is not None:
            sent, body = {"Content-Type": "application/json", **sent}, dumps(json, allow_nan=False).encode()

        def answer() -> Answered:
            deadline = self._clock() + self._timeout_s
            try:
                line = self._connections.line(method, url, params, sent, auth)
                return self._answered(line.send(method, body, self._timeout), deadline, where)
            except (requests.RequestException, errors.HTTPError, OSError) as error:
                raise lost(error, where, self._timeout_s) from None

        try:
            answered = within(self._timeout_s, answer)
        except OutOfTime:
            raise _timed_out(where, self._timeout_s) from None
        if not 200 <= answered.status < 300:
            raise refusal(answered, where, self._secret.variable if self._secret else None, self._now().timestamp())
        return Exchanged(_value(answered, where), left(answered.headers, self._now().timestamp()))

    def close(self) -> None:
        """Give the connections back."""
        self._connections.close()

    def _answered(self, response: urllib3.BaseHTTPResponse, deadline: float, where: str) -> Answered:
        """The answer with its body, freed of the key; the connection goes back, or is closed when it broke."""
        try:
            body = self._body(response, deadline, where)
        finally:
            response.close()  # ends what was not read to its end; a connection that was is back in the pool already
        reason = response.reason or ""
        headers = {name.lower(): value for name, value in response.headers.items()}
        if self._secret is not None:
            redact = self._secret.redact
            reason, headers = redact(reason), {name: redact(value) for name, value in headers.items()}
            body = self._secret.redact_bytes(body)
        return Answered(response.status, reason, headers, body)

    def _body(self, response: urllib3.BaseHTTPResponse, deadline: float, where: str) -> bytes:
        """At most MAX_BODY bytes, by the deadline: a server that sends a byte a minute is too slow too."""
        parts: list[bytes] = []
        size = 0
        while part := response.read1(CHUNK, decode_content=True):
            size += len(part)
            parts.append(part)
            if size > MAX_BODY:
                raise CallFailed("bad_reply", f"{where} answered more than {MAX_BODY // 2**20} MiB")
            if self._clock() > deadline:
                raise _timed_out(where, self._timeout_s)
        return b"".join(parts)


def _timed_out(where: str, timeout_s: float) -> CallFailed:
    return CallFailed("timeout", f"{where} {TOO_LATE.format(limit=timeout_s)}", retryable=True)


def address(url: str) -> str:
    """An address fit to be shown: without query, which may hold what nobody should read."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


_LOST: tuple[tuple[tuple[type[Exception], ...], str, str], ...] = (
    ((errors.ConnectTimeoutError,), "unreachable", "took no connection: is the server running?"),
    ((errors.TimeoutError, TimeoutError), "timeout", TOO_LATE),
    ((errors.SSLError,), "unreachable", "has a TLS certificate or handshake that failed"),
    ((errors.ProxyError,), "unreachable", "is asked through a proxy that took no connection"),
    ((errors.ProtocolError, OSError), "connection_lost", "broke off the reply"),
)
"""The first row whose type fits names the failure."""


def lost(error: Exception, where: str, timeout_s: float) -> CallFailed:
    """The failure that an exception of the HTTP layer stands for."""
    if isinstance(error, errors.NewConnectionError):
        detail = f"{where} took no connection ({_plain(error)}): is the server running, and the address right?"
        return CallFailed("unreachable", detail, retryable=True)
    if isinstance(error, requests.RequestException | errors.LocationValueError):
        return CallFailed("unreachable", f"{where} is no address that can be asked", final=True)
    if isinstance(error, errors.DecodeError):
        return CallFailed("bad_reply", f"{where} answered bytes that do not unpack")
    for types, reason, what in _LOST:
        if isinstance(error, types):
            return CallFailed(reason, f"{where} {what.format(limit=timeout_s)}", retryable=True)
    return CallFailed("bad_reply", f"{where}: the reply cannot be read ({type(error).__name__})")


def _plain(error: errors.NewConnectionError) -> str:
    if isinstance(error, errors.NameResolutionError):
        return "the name is not known"
    return "connection refused" if "refused" in str(error).lower() else type(error).__name__


def refusal(answered: Answered, where: str, variable: str | None, now: float) -> CallFailed:
    """The failure that a status other than 2xx stands for: 401, 403, 404 and redirects are final, 429 and 5xx are not.

    :param where: the address, fit to be shown
    :param variable: the environment variable of the key, if one was sent
    :param now: seconds since 1970
    """
    status = answered.status
    sentence = server_sentence(answered.body[: 4 * CHUNK].decode("utf-8", "replace"))
    parts = [f"{where} answered {status} {excerpt(answered.reason, 60)}".rstrip(), sentence, _hint(answered, variable)]
    return CallFailed(
        f"http_{status}",
        ": ".join(part for part in parts if part),
        retryable=status in _RETRYABLE or status >= 500,
        retry_after=asked_pause(answered.headers, now, limited=status == 429),
        final=status in _FINAL or status < 400,
        said=sentence,
    )


def _hint(answered: Answered, variable: str | None) -> str:
    match answered.status:
        case 401 | 403:
            return f"check the key in {variable}" if variable else "it wants a key; api_key_env names its variable"
        case 404:
            return "check the address and the name of the model"
        case status if 300 <= status < 400:
            target = excerpt(answered.headers.get("location", "").partition("?")[0], 120)
            return f"redirects are not followed (to {target}); write the final address"
        case _:
            return ""


def server_sentence(body: str) -> str:
    """What a server itself says about its error: one bounded line; empty when it says nothing for people."""
    try:
        value = parse_json(body)
    except ValueError:
        return "" if body.lstrip().startswith("<") else excerpt(body)
    for key in ("error", "message", "detail", "error_description", "title"):
        if isinstance(value, dict) and value.get(key):
            value = value[key]
    return excerpt(value if isinstance(value, str) else body)


def _value(answered: Answered, where: str) -> Any:
    try:
        return parse_json(answered.body)
    except ValueError as error:
        start = excerpt(answered.body[:CHUNK].decode("utf-8", "replace"), 80) or "nothing"
        raise CallFailed("bad_reply", f"{where} answered no JSON ({error}): {start}") from None
