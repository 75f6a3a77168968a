"""A model that the package litellm reaches: the extra ``fairgate[litellm]``, imported only where it is configured.

litellm has adapters for providers that speak neither OpenAI's nor Anthropic's API. It hands every reply back in the
shape of OpenAI's, and is read as such.
"""

import importlib
import os
from collections.abc import Mapping
from typing import Any

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.config.systems import LitellmModel
from fairgate.models.concessions import Concessions
from fairgate.models.deadline import OutOfTime, within
from fairgate.models.openai import FOR_JUDGES, chat_body, completed, for_systems
from fairgate.models.protocol import CallFailed
from fairgate.models.rate_limits import asked_pause
from fairgate.models.secret import Secret, read_secret
from fairgate.models.text import excerpt
from fairgate.models.transport import TOO_LATE, Exchanged, address
from fairgate.models.wire import Completion, Wanted, filtered, raise_named
from fairgate.world import World

_MAY_PASS = (408, 425, 429)
_FINAL = (401, 403, 404)


class LitellmWire:
    """One model by its litellm name, e.g. ``bedrock/…``."""

    def __init__(
        self,
        config: LitellmModel,
        project: Project,
        where: Where,
        world: World,
        own: Mapping[str, Any] | None = None,
    ) -> None:
        """
        :param own: the parameters of a system under test; None for a judge
        :raises ConfigError: when litellm is not installed or does not run here
        """
        self._litellm = _imported(project, where)
        self._config = config
        self._address = address(config.base_url) if config.base_url else f"litellm, {config.model}"
        self._world = world
        self._secret = read_secret(config.api_key_env, world.environ)
        self._concessions = Concessions(FOR_JUDGES if own is None else for_systems(own))

    def body(self, wanted: Wanted) -> dict[str, Any]:
        """The arguments of ``litellm.completion`` that decide the answer."""
        return chat_body(self._config.model, wanted)

    def complete(self, wanted: Wanted) -> Completion:
        """Ask the model once."""
        try:
            return completed(self._concessions, self.body(wanted), self._post, self._address)
        except CallFailed as failure:
            raise_named(failure, self._address)

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address, refused parameters."""
        return {
            "type": "litellm",
            "model": self._config.model,
            "family": self._config.family,
            "address": self._address,
            "dropped": self._concessions.dropped,
        }

    def close(self) -> None:
        """Nothing to give back."""

    def _post(self, body: dict[str, Any]) -> Exchanged:
        limit = self._config.timeout_s
        settings = {
            "api_key": self._secret.reveal() if self._secret else None,
            "base_url": self._config.base_url,
            "timeout": limit,
            "num_retries": 0,  # tries are counted in one place, the pool
            "max_retries": 0,
        }
        try:
            answered = within(limit, lambda: self._litellm.completion(**body, **settings))
        except OutOfTime:
            raise CallFailed("timeout", f"{self._address} {TOO_LATE.format(limit=limit)}", retryable=True) from None
        except Exception as error:  # noqa: BLE001 - whatever a provider's adapter raises costs one answer
            raise failure_of(error, self._address, self._secret, self._world.now().timestamp()) from None
        return Exchanged(_redacted(answered.model_dump(), self._secret))


def failure_of(error: Exception, where: str, secret: Secret | None, now: float) -> CallFailed:
    """The failure that an exception of litellm stands for: by its status, where it has one."""
    said = excerpt(secret.redact(str(error)) if secret else str(error))
    kinds = {kind.__name__ for kind in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if "Timeout" in kinds:
        return CallFailed("timeout", f"{where}: {said}", retryable=True)
    if "ContentPolicyViolationError" in kinds:
        return filtered(where, said)
    if "APIConnectionError" in kinds:
        return CallFailed("unreachable", f"{where}: {said}", retryable=True)
    if not isinstance(status, int):
        return CallFailed("system_error", f"{where}: litellm raised {type(error).__name__}: {said}")
    headers = getattr(getattr(error, "response", None), "headers", None)
    return CallFailed(
        f"http_{status}",
        f"{where} answered {status}: {said}",
        retryable=status in _MAY_PASS or status >= 500,
        retry_after=asked_pause(headers, now, limited=status == 429) if headers else None,
        final=status in _FINAL,
        said=said,
    )


def _redacted(value: Any, secret: Secret | None) -> Any:
    """The value without the key, should somebody have echoed it."""
    if secret is None:
        return value
    if isinstance(value, str):
        return secret.redact(value)
    if isinstance(value, list):
        return [_redacted(item, secret) for item in value]
    if isinstance(value, dict):
        return {key: _redacted(item, secret) for key, item in value.items()}
    return value


def _imported(project: Project, where: Where) -> Any:
    # Without this, the import fetches a list of prices from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    try:
        litellm: Any = importlib.import_module("litellm")
    except ModuleNotFoundError:
        message = "this needs the package litellm, which is not installed; run: pip install 'fairgate[litellm]'"
        raise project.error((*where, "type"), message) from None
    except (ImportError, OSError) as error:
        raise project.error((*where, "type"), f"litellm does not run here: {excerpt(str(error))}") from None
    litellm.telemetry = False
    litellm.suppress_debug_info = True  # its advice on errors would stand in the log
    return litellm
