"""Every secret of a run, cut out of whatever anybody answers before it is written down anywhere."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fairgate.config.model import ChatSystem, Config
from fairgate.models.protocol import Missing, Reply
from fairgate.models.secret import Secret, read_secret

SHORTEST_MASKED = 4
"""Values from this length on are masked in the log; shorter ones would make it unreadable, and hide nothing."""


class Mask:
    """Cuts out the secrets of all parties: a service may echo the key of another one."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        """:param secrets: those of everybody who may be asked"""
        self._secrets = tuple(secrets)

    def text(self, text: str) -> str:
        """The text without them."""
        for secret in self._secrets:
            text = secret.redact(text)
        return text

    def answer(self, answer: Reply | Missing) -> Reply | Missing:
        """The answer without them; itself when there are none in it."""
        if not self._secrets:
            return answer
        if isinstance(answer, Missing):
            return replace(answer, detail=self.text(answer.detail))
        contexts = None if answer.contexts is None else tuple(map(self.text, answer.contexts))
        model, fingerprint = (value and self.text(value) for value in (answer.model, answer.fingerprint))
        return replace(answer, text=self.text(answer.text), contexts=contexts, model=model, fingerprint=fingerprint)


def secrets_of(config: Config, environ: Mapping[str, str]) -> list[Secret]:
    """The secrets that a configuration names and the environment holds, each once."""
    parts = [*config.systems.values(), *config.judges.values(), config.embeddings]
    models = [part.model if isinstance(part, ChatSystem) else part for part in parts]
    names = dict.fromkeys(getattr(model, "api_key_env", None) for model in models)
    found = [read_secret(name, environ) for name in names]
    return [secret for secret in found if secret is not None and secret.value]
