"""How a YAML scalar becomes a value: what the person wrote is kept, its place in the model says what it means."""

from typing import Annotated, Any

from pydantic import BeforeValidator


class Scalar(str):
    """An unquoted YAML scalar: its text, and the value that YAML reads it as (``no`` is text ``no``, value ``no``)."""

    typed: Any

    def __new__(cls, text: str, typed: Any) -> "Scalar":
        """Keep the text as the string, the typed value beside it."""
        scalar = super().__new__(cls, text)
        scalar.typed = typed
        return scalar


def one_or_many(value: Any) -> Any:
    """One mapping or text stands for a list of one."""
    return value if isinstance(value, list) else [value]


def plain_text(value: Any) -> Any:
    """The text as written, whatever YAML would make of it; an empty value is no text."""
    return str(value) if isinstance(value, str) else value


def typed_value(value: Any) -> Any:
    """A JSON value: unquoted scalars as YAML types them, all the way down."""
    if isinstance(value, Scalar):
        return value.typed
    if isinstance(value, dict):
        return {str(key): typed_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [typed_value(item) for item in value]
    return value


def flag(value: Any) -> Any:
    """Only ``true`` and ``false``: a typo must not become a no."""
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return value


Plain = Annotated[str, BeforeValidator(plain_text)]
Typed = Annotated[Any, BeforeValidator(typed_value)]
Flag = Annotated[bool, BeforeValidator(flag)]
