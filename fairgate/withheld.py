"""Suites that need a secret nobody gave, as in a pull request from a fork: asked nothing, and said so. Never a pass."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairgate.config.model import Config, HarnessSuite, RagSuite
from fairgate.config.scope import Suite
from fairgate.config.triad import OpenAIEmbeddings
from fairgate.models.protocol import CallFailed, Question, Reply, System
from fairgate.models.secret import read_secret
from fairgate.wording import sentence


class Withheld:
    """A party that is not asked: every answer of it is missing evidence, and the law of the gate does the rest."""

    concurrency = 1
    retries = 0

    def __init__(self, party: System, unset: Iterable[str]) -> None:
        """:param unset: variables that hold no secret"""
        self._party = party
        self._detail = sentence("skipped_missing_secret", variables=list(unset))

    def request(self, question: Question) -> Any:
        """As the party itself has it."""
        return self._party.request(question)

    def send(self, question: Question) -> Reply:
        """Never asks.

        :raises CallFailed: ``missing_secret``, final
        """
        raise CallFailed("missing_secret", self._detail, final=True, asked=False)

    def describe(self) -> dict[str, Any]:
        """As the party itself has it."""
        return self._party.describe()

    def files(self) -> list[Path]:
        """As the party itself has it."""
        return self._party.files()

    def close(self) -> None:
        """Nothing: the party is closed by whoever built it."""


def unset_secrets(suite: Suite, config: Config, environ: Mapping[str, str]) -> list[str]:
    """Variables that a suite's system, judges and embeddings name and that hold nothing, each once. Blank is not set.

    >>> from fairgate.config.model import FairnessSuite
    >>> unset_secrets(FairnessSuite.model_construct(), Config(), {})
    []
    """
    named = dict.fromkeys(name for name in _variables(suite, config) if name is not None)
    secrets = (read_secret(name, environ) for name in named)
    return [secret.variable for secret in secrets if secret is not None and secret.value is None]


def _variables(suite: Suite, config: Config) -> Iterator[str | None]:
    if isinstance(suite, HarnessSuite | RagSuite) and suite.system is not None:
        system = config.systems[suite.system]
        yield getattr(getattr(system, "model", system), "api_key_env", None)
    if isinstance(suite, RagSuite):
        yield from (getattr(config.judges[name], "api_key_env", None) for name in suite.judge_names)
        if "answer_relevance" in suite.metrics and isinstance(config.embeddings, OpenAIEmbeddings):
            yield config.embeddings.api_key_env
