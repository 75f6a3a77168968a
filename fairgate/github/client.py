"""GitHub's REST API over HTTP: retries that obey the server, pages that stay on it, errors that never show the token.

Rules of waiting: https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlencode, urlsplit

import requests
from requests.auth import AuthBase
from tenacity import RetryCallState, Retrying, retry_if_exception, stop_after_attempt

from fairgate import __version__
from fairgate.world import World

API_VERSION = "2022-11-28"
ATTEMPTS = 4
LONGEST_WAIT_S = 90.0
TIMEOUT_S = (5.0, 30.0)
MAX_PAGES = 100

_LIMITED_WAIT_S = 60.0
_MAX_MESSAGE = 300


class GitHubError(Exception):
    """A request that GitHub refused or that did not reach it.

    :ivar status: the HTTP status, None when there was no answer
    :ivar wait: seconds after which trying again makes sense, None when it does not
    """

    def __init__(self, message: str, status: int | None = None, wait: float | None = None) -> None:
        """Keep the facts that decide what to do and what to advise."""
        super().__init__(message)
        self.status = status
        self.wait = wait


class Client:
    """Asks GitHub as the holder of one token.

    :param api_url: ``https://api.github.com``, or ``https://HOST/api/v3`` on GitHub Enterprise Server
    """

    def __init__(self, api_url: str, token: str, world: World) -> None:
        """Open a session; nothing is sent yet."""
        self._api_url = api_url.rstrip("/")
        self._token = token
        self._world = world
        self._session = world.session()
        # As `auth`, not as a header: requests lets a .netrc of the machine replace a header, but not this.
        self._session.auth = _Bearer(token)
        self._session.headers.update(
            {
                "Accept": "application/vnd.github+json",
                "X-GitHub-Api-Version": API_VERSION,
                "User-Agent": f"fairgate/{__version__}",
            }
        )

    def get(self, path: str) -> Any:
        """The JSON at a path such as ``/user``.

        :raises GitHubError: as every method here
        """
        return self._json("GET", path)

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """Create something; answers with it. May create it twice when an answer is lost on the way back."""
        return self._json("POST", path, body)

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        """Change something; answers with it."""
        return self._json("PATCH", path, body)

    def delete(self, path: str) -> None:
        """Delete something. That it is gone already is no error."""
        try:
            self._send("DELETE", self._api_url + path)
        except GitHubError as error:
            if error.status != 404:
                raise

    def items(self, path: str, *, within: str | None = None, **query: str) -> Iterator[Any]:
        """Every item of a list, page by page.

        :param within: the key under which a page holds its items, for lists that come with a count
        :raises GitHubError: also when a page points to another server, is no list, or there is no end of pages
        """
        url: str | None = f"{self._api_url}{path}?{urlencode({**query, 'per_page': '100'})}"
        for _ in range(MAX_PAGES):
            if url is None:
                return
            response = self._send("GET", url)
            page = _read(response)
            if within is not None:
                page = page.get(within) if isinstance(page, dict) else None
            if not isinstance(page, list):
                raise GitHubError(f"GET {path}: expected a list", response.status_code)
            yield from page
            url = self._next(response, path)
        if url is not None:
            raise GitHubError(f"GET {path}: more than {MAX_PAGES} pages")

    def download(self, path: str, limit: int) -> bytes:
        """What a path redirects to, as artifacts do. The token does not go there: the address is its own key.

        :param limit: most bytes that are read
        :raises GitHubError: also when there is no redirect, it leads somewhere unencrypted, or there is too much
        """
        what = f"GET {path}"
        redirect = self._send("GET", self._api_url + path, expected=302)
        url = redirect.headers.get("Location", "")
        if urlsplit(url).scheme not in {"https", urlsplit(self._api_url).scheme}:
            raise GitHubError(f"{what}: it leads to an address that is not encrypted", redirect.status_code)
        session = self._world.session()
        session.auth = _Nobody()
        try:
            with session.get(url, timeout=TIMEOUT_S, stream=True, allow_redirects=False) as response:
                if response.status_code != 200:
                    raise GitHubError(f"{what}: the storage answered {response.status_code}")
                return _bounded_body(response, limit, what)
        except requests.RequestException as error:
            # The address holds a signature: not even an error shows it.
            raise GitHubError(f"{what}: the download broke off ({type(error).__name__})") from None
        finally:
            session.close()

    def _next(self, response: requests.Response, path: str) -> str | None:
        url = response.links.get("next", {}).get("url")
        if url is not None and not url.startswith(self._api_url + "/"):
            # The token goes only where the workflow said it goes.
            raise GitHubError(f"GET {path}: the next page is on another server", response.status_code)
        return url

    def _json(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return _read(self._send(method, self._api_url + path, body))

    def _send(
        self, method: str, url: str, body: Mapping[str, Any] | None = None, expected: int | None = None
    ) -> requests.Response:
        retrying = Retrying(
            stop=stop_after_attempt(ATTEMPTS),
            retry=retry_if_exception(lambda error: isinstance(error, GitHubError) and error.wait is not None),
            wait=self._wait,
            sleep=self._world.sleep,
            reraise=True,
        )
        return retrying(self._once, method, url, body, expected)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        least = error.wait if isinstance(error, GitHubError) and error.wait is not None else 0.0
        backoff: float = 2.0 ** (state.attempt_number - 1)
        return max(least, backoff) + self._world.chance()

    def _once(self, method: str, url: str, body: Mapping[str, Any] | None, expected: int | None) -> requests.Response:
        what = f"{method} {url.removeprefix(self._api_url).partition('?')[0]}"
        try:
            response = self._session.request(method, url, json=body, timeout=TIMEOUT_S, allow_redirects=False)
        except requests.RequestException as error:
            retryable = isinstance(error, requests.ConnectionError | requests.Timeout)
            raise GitHubError(self._hide(f"{what}: {error}"), wait=0.0 if retryable else None) from None
        if response.status_code == expected or (expected is None and 200 <= response.status_code < 300):
            return response
        message = _message(response)
        wait = retry_wait(response.status_code, response.headers, message)
        raise GitHubError(self._hide(f"{what}: {response.status_code} {message}"), response.status_code, wait)

    def _hide(self, text: str) -> str:
        return text.replace(self._token, "***") if self._token else text


def retry_wait(status: int, headers: Mapping[str, str], message: str) -> float | None:
    """Seconds to wait before asking again, None when asking again is no use.

    5xx: any time. 429, and 403 for a rate limit: as ``retry-after`` or ``x-ratelimit-reset`` say, a minute when they
    say nothing. A wait beyond ``LONGEST_WAIT_S`` is not worth a runner's time. Every other status is an answer.
    """
    if status >= 500:
        return _bounded(_seconds(headers.get("retry-after")) or 0.0)
    exhausted = headers.get("x-ratelimit-remaining") == "0"
    limited = status == 429 or (
        status == 403 and ("retry-after" in headers or exhausted or "secondary rate limit" in message.lower())
    )
    if not limited:
        return None
    wait = _seconds(headers.get("retry-after"))
    if wait is None and exhausted:
        wait = _until_reset(headers)
    return _bounded(_LIMITED_WAIT_S if wait is None else wait)


def _bounded(wait: float) -> float | None:
    return wait if wait <= LONGEST_WAIT_S else None


def _until_reset(headers: Mapping[str, str]) -> float | None:
    """Seconds until the limit is lifted, by the server's own clock."""
    reset = _seconds(headers.get("x-ratelimit-reset"))
    try:
        now = parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, ValueError):
        return None
    return None if reset is None else max(0.0, reset - now)


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isascii() and text.isdigit() else None


def _message(response: requests.Response) -> str:
    """What GitHub says is wrong, short and on one line."""
    try:
        body = response.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return response.reason or "no reason given"
    details = body.get("errors")
    told = [str(body.get("message", ""))]
    if isinstance(details, list):
        told += [str(detail.get("message", "")) if isinstance(detail, dict) else str(detail) for detail in details]
    return " ".join(" ".join(part for part in told if part).split())[:_MAX_MESSAGE]


def _read(response: requests.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        raise GitHubError(f"{response.status_code} with a body that is not JSON", response.status_code) from None


def _bounded_body(response: requests.Response, limit: int, what: str) -> bytes:
    parts, size = [], 0
    for part in response.iter_content(64 * 1024):
        size += len(part)
        if size > limit:
            raise GitHubError(f"{what}: more than {limit // 2**20} MiB")
        parts.append(part)
    return b"".join(parts)


class _Nobody(AuthBase):
    """Keeps a .netrc of the machine from adding a name."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class _Bearer(AuthBase):
    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request
