"""Secrets hidden in the log of a job: the runner puts ``***`` in place of every value it was told."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TextIO

from fairgate.config import load
from fairgate.config.model import Config
from fairgate.errors import FairgateError
from fairgate.models.mask import SHORTEST_MASKED, secrets_of


def values(config: Config, environ: Mapping[str, str]) -> list[str]:
    """The secrets that a configuration names and the environment holds, those long enough to be hidden."""
    return [
        value for secret in secrets_of(config, environ) if (value := secret.value) and len(value) >= SHORTEST_MASKED
    ]


def values_named_in(file: Path, environ: Mapping[str, str]) -> list[str]:
    """The same for a configuration that is not read yet; none when it cannot be, which the run itself will say."""
    try:
        return values(load(file).config, environ)
    except FairgateError:
        return []


def emit(secrets: Iterable[str], environ: Mapping[str, str], stream: TextIO) -> None:
    """Tell the runner, when this is a step of a workflow; elsewhere nobody would hide what is written here."""
    if environ.get("GITHUB_ACTIONS") == "true":
        write(secrets, stream)


def write(secrets: Iterable[str], stream: TextIO) -> None:
    """One command for each line of each secret: the runner hides line by line."""
    for secret in secrets:
        for line in secret.splitlines():
            if line.strip():
                print(f"::add-mask::{_data(line)}", file=stream, flush=True)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D")
