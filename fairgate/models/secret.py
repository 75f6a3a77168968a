"""Secrets: only ever named in the configuration, read from the environment, never shown."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fairgate.models.protocol import CallFailed

REDACTED = "[redacted]"
SHORTEST_KEY = 8
"""Shorter ones are the dummies of local servers (``none``, ``EMPTY``): to cut them out would tear honest answers."""


@dataclass(frozen=True)
class Secret:
    """The key of a system: the variable that names it, and its value when the environment has one."""

    variable: str
    value: str | None = field(repr=False)

    def reveal(self) -> str:
        """The value, to be sent.

        :raises CallFailed: ``missing_secret``, final, when there is none or no HTTP header could carry it
        """
        if self.value is None:
            raise CallFailed("missing_secret", self._how_to_set(), final=True, asked=False)
        if not re.fullmatch(r"[\x21-\x7e]+", self.value):
            detail = f"the variable {self.variable} holds a blank, a line break or a character outside ASCII: not a key"
            raise CallFailed("missing_secret", detail, final=True, asked=False)
        return self.value

    def redact(self, text: str) -> str:
        """The text without the value, should somebody have echoed it."""
        return text.replace(self.value, REDACTED) if self.value and len(self.value) >= SHORTEST_KEY else text

    def redact_bytes(self, body: bytes) -> bytes:
        """The same for a body; in JSON also where the value is spelled with escapes, as ``\\/`` or ``\\u0073``."""
        plain = self.redact(body.decode("latin-1")).encode("latin-1")
        if b"\\" not in plain:
            return plain
        try:
            value = json.loads(plain)
        except (ValueError, RecursionError):
            return plain
        clean = self._redact_value(value)
        return plain if clean == value else json.dumps(clean).encode()

    def _redact_value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, list):
            return [self._redact_value(item) for item in value]
        if isinstance(value, dict):
            return {self.redact(key): self._redact_value(item) for key, item in value.items()}
        return value

    def _how_to_set(self) -> str:
        return (
            f"the variable {self.variable} is not set: add `{self.variable}: ${{{{ secrets.{self.variable} }}}}` "
            "to the env: of the step, or export it in a shell (pull requests from forks and Dependabot have no secrets)"
        )


def read_secret(variable: str | None, environ: Mapping[str, str]) -> Secret | None:
    """The secret that a variable holds; None when the system needs none. Blank counts as not set, as on a fork."""
    if variable is None:
        return None
    return Secret(variable, environ.get(variable, "").strip() or None)
