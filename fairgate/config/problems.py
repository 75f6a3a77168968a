"""What pydantic found wrong, as sentences for the person who wrote the file: place, what was found, what to do."""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fairgate.config.reader import Document
from fairgate.config.section import Section, Where
from fairgate.config.values import shown
from fairgate.errors import ConfigError

_COMPARISONS = {
    "greater_than": ("gt", "more than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}
_KINDS = {
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "dict_type": "a mapping (key: value)",
    "list_type": "a list ([a, b])",
}
MAX_SHOWN = 200
"""Problems that a person will read; a file with more of them is no configuration."""

Readers = Mapping[int, type[Section]]
"""id() of a mapping in the file: the part of the model that read it."""


def config_error(document: Document, error: ValidationError, readers: Readers) -> ConfigError:
    """Every problem of a file in one error, a line each, in the order of the file."""
    explained = [_explain(details, document, readers) for details in error.errors(include_url=False)]
    found = sorted((document.problem(where, message) for where, message in explained), key=lambda problem: problem[0])
    texts = list(dict.fromkeys(text for _, text in found))
    more = [f"{document.file}: {len(texts) - MAX_SHOWN} more problems"] if len(texts) > MAX_SHOWN else []
    return ConfigError("\n".join(texts[:MAX_SHOWN] + more))


def _explain(details: ErrorDetails, document: Document, readers: Readers) -> tuple[Where, str]:
    """Place and message of one error."""
    kind, where, value = details["type"], details["loc"], details["input"]
    if kind == "extra_forbidden":
        return where, _unknown_key(str(where[-1]), readers.get(id(_value_at(document, where[:-1]))))
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _type(where, value, details.get("ctx", {}))
    return where, _misfit(kind, value, details.get("ctx", {})) or details["msg"]


def _misfit(kind: str, value: Any, facts: Mapping[str, Any]) -> str | None:
    """What was found and what was expected; None for what needs no translation."""
    if kind == "missing":
        return "is missing; it is required here"
    if kind == "too_short":
        return f"found an empty {'mapping' if value == {} else 'list'}, expected at least one entry"
    if kind == "literal_error":
        return f"found {shown(value)}, expected {facts['expected']}"
    if kind in _COMPARISONS:
        bound, words = _COMPARISONS[kind]
        return f"found {shown(value)}, expected {words} {facts[bound]:g}{_share_hint(value, facts)}"
    return f"found {shown(value)}, expected {_KINDS[kind]}" if kind in _KINDS else None


def _share_hint(value: Any, facts: Mapping[str, Any]) -> str:
    percentage = facts.get("lt") == 1 and isinstance(value, int | float) and 50 < value < 100
    return f": write {value / 100:.10g}" if percentage else ""


def _type(where: Where, value: Any, facts: Mapping[str, Any]) -> tuple[Where, str]:
    types = re.sub("[<>']", "", facts.get("expected_tags", ""))
    expected = f"expected one of {types}"
    if not isinstance(value, dict):
        return where, f"found {shown(value)}, expected a mapping with the key type"
    if "type" not in value:
        return where, f"the key type is missing, {expected}"
    return (*where, "type"), f"found {shown(value['type'])}, {expected}"


def _unknown_key(key: str, reader: type[Section] | None) -> str:
    if reader is None:
        return "unknown key"
    if key in reader.refused_keys:
        return reader.refused_keys[key]
    known = list(reader.model_fields)
    if ":" in key and key.split(":", maxsplit=1)[0] in known:
        return f"unknown key; write a blank after the colon: {key.split(':', maxsplit=1)[0]}: …"
    if key.isdecimal():
        return f"unknown key; a comma begins the next entry: write a number with a point, such as 0.{key}"
    near = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.5)
    return f"unknown key, did you mean {near[0]}?" if near else f"unknown key; known here: {', '.join(known)}"


def _value_at(document: Document, where: Where) -> Any:
    """The value of the file at a place of the model; steps that the person did not write are passed over."""
    value: Any = document.data
    for step in where:
        if isinstance(value, dict):
            value = value.get(step, value)
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
    return value
