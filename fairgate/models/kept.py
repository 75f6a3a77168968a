"""A reply as JSON that outlives the process, and the key under which it may be used again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from fairgate import __version__
from fairgate.config.systems import Limits
from fairgate.models.protocol import Question, Reply, Usage

NOT_IN_KEY = frozenset({*Limits.model_fields, "api_key_env", "family", "price"})
"""What decides how somebody is asked, and what it costs, but not what is answered."""


def identity(role: str, name: str, config: BaseModel | None, files: Iterable[Path]) -> str:
    """A digest of everything about a party that can change its answers: its part of the configuration (type, model,
    address, parameters, headers, messages), the bytes of its prompt files, the version of fairgate and of the prompts
    that it brings along, and its name, so that two judges never share a vote.

    :param config: as configured; limits, prices and the name of the key's variable are left out
    :param files: prompts, with everything they include
    """
    stated = config.model_dump(mode="json") if config is not None else {}
    return _digest(
        {
            "fairgate": __version__,
            "prompts": _prompts_of_judges() if role == "judge" else None,
            "role": role,
            "name": name,
            "config": _without_limits(stated),
            "files": sorted((path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files),
        }
    )


def content(identity: str, question: Question) -> str:
    """A digest of what one question asks: the fields that fill messages and bodies, and whom it asks."""
    return _digest({"identity": identity, "fields": dict(question.fields)})


def key_of(content: str, repeat: int) -> str:
    """The key of the n-th time (from 0) that the same is asked in a run: a repeat is a draw of its own."""
    return hashlib.sha256(f"{content} {repeat}".encode()).hexdigest()


def to_json(reply: Reply) -> dict[str, Any]:
    """The reply as a JSON object."""
    return {
        "text": reply.text,
        "model": reply.model,
        "fingerprint": reply.fingerprint,
        "tokens": [reply.usage.prompt_tokens, reply.usage.completion_tokens],
        "contexts": None if reply.contexts is None else list(reply.contexts),
        "dropped": list(reply.dropped),
        "seconds": reply.seconds,
        "retries": reply.retries,
        "extra_calls": reply.extra_calls,
    }


def from_json(value: Any) -> Reply:
    """The reply in a JSON object.

    :raises ValueError: it is not what ``to_json`` writes
    """
    if not isinstance(value, dict) or value.keys() != _SHAPE.keys():
        raise ValueError("no reply")
    for name, types in _SHAPE.items():
        if not isinstance(value[name], types) or isinstance(value[name], bool):
            raise ValueError(f"{name} is {type(value[name]).__name__}")
    contexts, tokens, dropped = value["contexts"], value["tokens"], value["dropped"]
    if not all(isinstance(text, str) for text in (*(contexts or ()), *dropped)):
        raise ValueError("contexts or dropped parameters are not texts")
    return Reply(
        text=value["text"],
        model=value["model"],
        fingerprint=value["fingerprint"],
        usage=usage_from_json(tokens),
        contexts=None if contexts is None else tuple(contexts),
        dropped=tuple(dropped),
        seconds=float(value["seconds"]),
        retries=value["retries"],
        extra_calls=value["extra_calls"],
    )


_SHAPE: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "model": (str, type(None)),
    "fingerprint": (str, type(None)),
    "tokens": (list,),
    "contexts": (list, type(None)),
    "dropped": (list,),
    "seconds": (int, float),
    "retries": (int,),
    "extra_calls": (int,),
}


def usage_from_json(value: Any) -> Usage:
    """Tokens as ``[prompt, completion]``, each a number or null.

    :raises ValueError: they are not
    """
    whole = isinstance(value, list) and all(one is None or (type(one) is int and one >= 0) for one in value)
    if not whole or len(value) != 2:
        raise ValueError("tokens are not two numbers")
    return Usage(*value)


def dumps(value: Any) -> str:
    """One line of JSON in ASCII, the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _digest(value: Any) -> str:
    return hashlib.sha256(dumps(value).encode()).hexdigest()


def _without_limits(value: Any) -> Any:
    """Everything but the keys that no answer depends on: those of the entry itself and of its model."""
    if not isinstance(value, Mapping):
        return value
    kept = {name: part for name, part in value.items() if name not in NOT_IN_KEY}
    return {name: _without_limits(part) if name == "model" else part for name, part in kept.items()}


def _prompts_of_judges() -> str:
    folder = resources.files("fairgate.judges").joinpath("templates")
    texts = {file.name: file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".j2")}
    return _digest(texts)
