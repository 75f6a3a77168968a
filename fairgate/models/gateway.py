"""One address on a model server, and what every call to it carries: key, headers, query."""

from collections.abc import Mapping
from typing import Any

from fairgate.config.systems import ModelServer
from fairgate.models.secret import read_secret
from fairgate.models.transport import Exchanged, Transport, address
from fairgate.world import World


class Gateway:
    """Takes JSON bodies at one address."""

    def __init__(
        self,
        config: ModelServer,
        url: str,
        world: World,
        *,
        key_header: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """
        :param url: the whole address, without a query
        :param key_header: the header that carries the key when the configuration names none; None for ``Authorization``
        :param headers: sent with every call, unless the configuration has its own value
        """
        self.where = address(url)
        self._url = url
        self._headers = {**(headers or {}), **config.headers}
        self._query = dict(config.query)
        self._transport = Transport(
            world,
            read_secret(config.api_key_env, world.environ),
            concurrency=config.concurrency,
            timeout_s=config.timeout_s,
            key_header=config.api_key_header or key_header,
        )

    def post(self, body: Any) -> Exchanged:
        """What the server answers; raises CallFailed unless it is JSON."""
        return self._transport.exchange("POST", self._url, json=body, params=self._query or None, headers=self._headers)

    def close(self) -> None:
        """Give the connections back."""
        self._transport.close()
