"""What pydantic found wrong, as sentences for the person who wrote the file: place, what was found, what to do."""

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fairgate.config.reader import Document
from fairgate.config.section import Section
from fairgate.config.systems import SYSTEM_TYPES
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
Readers = Mapping[int, type[Section]]
"""id() of a mapping in the file: the part of the model that read it."""


def config_error(document: Document, error: ValidationError, readers: Readers) -> ConfigError:
    """Every problem of a file in one error, a line each, in the order of the file."""
    found = []
    for details in error.errors(include_url=False):
        where, message = _explain(details, document, readers)
        line, path = document.locate(where)
        found.append(
            (line, f"{document.file}:{line}: {path}: {message}" if path else f"{document.file}:{line}: {message}")
        )
    return ConfigError("\n".join(dict.fromkeys(text for _, text in sorted(found, key=lambda item: item[0]))))


def _explain(details: ErrorDetails, document: Document, readers: Readers) -> tuple[tuple[int | str, ...], str]:
    """Place and message of one error."""
    kind, where, value = details["type"], details["loc"], details["input"]
    facts = details.get("ctx", {})
    if kind == "extra_forbidden":
        return where, _unknown_key(str(where[-1]), readers.get(id(_value_at(document, where[:-1]))))
    if kind == "missing":
        return where, "is missing; it is required here"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return _system_type(where, value)
    if kind == "literal_error":
        return where, f"found {shown(value)}, expected {facts['expected']}"
    if kind in ("too_short", "string_too_short"):
        return where, f"found {_nothing(value)}, expected at least one"
    if kind in _COMPARISONS:
        bound, words = _COMPARISONS[kind]
        return where, f"found {shown(value)}, expected {words} {facts[bound]:g}{_share_hint(value, facts)}"
    if kind in _KINDS:
        return where, f"found {shown(value)}, expected {_KINDS[kind]}"
    return where, details["msg"]


def _nothing(value: Any) -> str:
    return "an empty mapping" if value == {} else "an empty list"


def _share_hint(value: Any, facts: Mapping[str, Any]) -> str:
    percentage = facts.get("lt") == 1 and isinstance(value, int | float) and 50 < value < 100
    return f": write {value / 100:.10g}" if percentage else ""


def _system_type(where: tuple[int | str, ...], value: Any) -> tuple[tuple[int | str, ...], str]:
    expected = f"expected one of {', '.join(SYSTEM_TYPES)}"
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
    near = difflib.get_close_matches(key.lower(), known, n=1, cutoff=0.5)
    return f"unknown key, did you mean {near[0]}?" if near else f"unknown key; known here: {', '.join(known)}"


def _value_at(document: Document, where: tuple[int | str, ...]) -> Any:
    """The value of the file at a place of the model; steps that the person did not write are passed over."""
    value = document.data
    for step in where:
        if (isinstance(value, dict) and step in value) or (isinstance(value, list) and step in range(len(value))):
            value = value[step]
    return value
