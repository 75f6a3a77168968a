"""Connections to servers, kept open between questions, with the proxies and certificates that the environment names.

requests knows what the environment says (``HTTPS_PROXY``, ``NO_PROXY``, bundles of certificates) and puts addresses and
headers together, once for all questions to an address. The exchange itself is urllib3's: what requests does around each
one (cookies, redirects, hooks, a response of its own) nobody wants here, and it takes longer than all the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlsplit

import requests
import urllib3
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase

_MOST_LINES = 16
"""Addresses that are remembered; a system whose address depends on the case has one for each."""


@dataclass(frozen=True)
class Line:
    """An address, ready to be sent bodies to.

    :param pool: connections to its server, or to the proxy before it
    :param target: what stands in the request line: the path, or the whole address for a proxy
    """

    pool: urllib3.HTTPConnectionPool
    target: str
    headers: Mapping[str, str]

    def send(self, method: str, body: bytes | None, timeout: urllib3.Timeout) -> urllib3.BaseHTTPResponse:
        """The answer, its body not read yet. Nothing is tried twice, and no redirect is followed.

        :raises urllib3.exceptions.HTTPError: there is none
        """
        return self.pool.urlopen(
            method,
            self.target,
            body=body,
            headers=self.headers,
            timeout=timeout,
            retries=False,
            redirect=False,
            assert_same_host=False,
            preload_content=False,
            decode_content=False,
        )


class Connections:
    """A connection pool for each server, as wide as the concurrency. Used by several threads at once."""

    def __init__(self, session: requests.Session, concurrency: int) -> None:
        """:param session: prepares requests; nothing is sent by it"""
        self._session = session
        self._adapter = _Adapter(pool_connections=1, pool_maxsize=concurrency, max_retries=0)
        self._lines: dict[str, Line] = {}
        self._settings: dict[tuple[str, ...], Mapping[str, Any]] = {}

    def line(self, method: str, url: str, params: Any, headers: Mapping[str, Any], auth: AuthBase | None) -> Line:
        """The line to an address.

        :param headers: sent with every body, beside the key that ``auth`` adds
        :raises requests.RequestException: it is no address
        :raises OSError: a bundle of certificates that the environment names is not there
        """
        known = repr((method, url, params, headers))
        line = self._lines.get(known)
        if line is None:
            request = requests.Request(method, url, params=params, headers=headers, auth=auth)
            line = self._adapter.line(self._session.prepare_request(request), self._settings_of(url))
            if len(self._lines) < _MOST_LINES:
                self._lines[known] = line
        return line

    def close(self) -> None:
        """Give them back."""
        self._adapter.close()
        self._session.close()

    def _settings_of(self, url: str) -> Mapping[str, Any]:
        """Proxies and certificates as the environment has them; looked up once for each server."""
        server = urlsplit(url)[:2]
        if server not in self._settings:
            self._settings[server] = self._session.merge_environment_settings(url, {}, True, None, None)
        return self._settings[server]


class _Adapter(HTTPAdapter):
    """The methods that requests offers to subclasses, without the one that sends."""

    def line(self, request: requests.PreparedRequest, settings: Mapping[str, Any]) -> Line:
        proxies, verify, cert = settings["proxies"], settings["verify"], settings["cert"]
        pool = self.get_connection_with_tls_context(request, verify, proxies=proxies, cert=cert)
        self.cert_verify(pool, request.url, verify, cert)  # type: ignore[no-untyped-call]  # its stub has no types
        headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
        return Line(cast(urllib3.HTTPConnectionPool, pool), self.request_url(request, proxies), headers)
