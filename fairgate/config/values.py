"""How a YAML scalar becomes a value: what the person wrote is kept, its place in the model says what it means.

A text place (``Text``, ``Plain``, ``Name``) takes the text as written, a number place (``Number``, ``Whole``,
``Fraction``) only a number, a free place (``Typed``) what YAML makes of it. A value that does not fit is refused by
name: what was found, what was expected.
"""

import math
import re
import unicodedata
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function

_PERCENT = re.compile(r"\s*([+-]?\d+(?:[.,]\d+)?)\s*%\s*")
_SHOWN = 60


class Scalar(str):
    """An unquoted YAML scalar: its text, and the value that YAML reads it as (``no`` is text ``no``, value ``no``)."""

    typed: Any

    def __new__(cls, text: str, typed: Any) -> "Scalar":
        """Keep the text as the string, the typed value beside it."""
        scalar = super().__new__(cls, text)
        scalar.typed = typed
        return scalar


def is_null(value: Any) -> bool:
    """Whether YAML reads the scalar as nothing: ``null``, ``~`` or an empty value, unquoted."""
    return isinstance(value, Scalar) and value.typed is None


def shown(value: Any) -> str:
    """A found value for an error: one line, short, without invisible characters.

    >>> shown("5%"), shown(Scalar("no", "no")), shown({"a": 1}), shown([]), shown(Scalar("", None))
    ("'5%'", "'no'", 'a mapping', 'a list', 'an empty value')
    """
    if isinstance(value, dict | list):
        return "a mapping" if isinstance(value, dict) else "a list"
    if isinstance(value, Scalar) and not value:
        return "an empty value"
    if isinstance(value, Scalar) and not isinstance(value.typed, str):
        return str(value)[:_SHOWN]
    text = repr(str(value) if isinstance(value, str) else value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def refused(message: str) -> PydanticCustomError:
    """An error whose text is for the person who wrote the file, to be raised in a validator."""
    return PydanticCustomError("fairgate", "{text}", {"text": message})


def nfc(text: str) -> str:
    """Unicode form NFC: two spellings that look the same are the same name."""
    return unicodedata.normalize("NFC", text)


def one_or_many(value: Any) -> Any:
    """One mapping or text stands for a list of one."""
    return value if isinstance(value, list) else [value]


class OneOrMany:
    """Mark of a list for which one entry may stand alone; to be put behind the list's own constraints."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Wrap the value before the list is validated."""
        return no_info_before_validator_function(one_or_many, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """An entry, or the list of them."""
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


def plain_text(value: Any) -> Any:
    """The text as written, whatever YAML would make of it; an empty value is no text."""
    if isinstance(value, Scalar) and value in ("", "~"):
        raise refused(f"found {shown(value)}, expected a text: write it, or quote it if it is meant")
    if not isinstance(value, str):
        raise refused(f"found {shown(value)}, expected a text")
    return str(value)


def name_text(value: Any) -> Any:
    """A name of a group, a column, a level or a rule: as written, in NFC, never blank."""
    name = nfc(plain_text(value))
    if not name.strip():
        raise refused(f"found {shown(name)}, expected a name")
    return name


def text(value: Any) -> Any:
    """A text where nothing else makes sense; ``null`` is none, a number is its text."""
    if is_null(value):
        raise refused(f"found {shown(value)}, expected a text")
    return plain_text(value)


def filled_text(value: Any) -> Any:
    """A text that says something."""
    filled = text(value)
    if not filled.strip():
        raise refused("found an empty text, expected one that says something")
    return filled


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
    typed = value.typed if isinstance(value, Scalar) else value
    if not isinstance(typed, bool):
        raise refused(f"found {shown(value)}, expected true or false")
    return typed


def choice(value: Any) -> Any:
    """One of a few words, which the field itself lists."""
    return str(value) if isinstance(value, str) else value


def version_one(value: Any) -> Any:
    """The version of the file format: 1 is the only one there is."""
    if (found := typed_value(value)) != 1 or isinstance(found, bool):
        raise refused(f"found {shown(value)}, expected 1: it is the version of this file's format")
    return 1


def number(value: Any) -> Any:
    """A finite number, written as one: ``5%``, ``nan``, ``true`` and ``"0.05"`` in quotes are none."""
    typed = value.typed if isinstance(value, Scalar) else value
    if isinstance(typed, int | float) and not isinstance(typed, bool) and math.isfinite(typed):
        return typed
    raise refused(f"found {shown(value)}, expected a number{_number_hint(value)}")


def _number_hint(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    if percent := _PERCENT.fullmatch(value):
        return f": write {float(percent[1].replace(',', '.')) / 100:.10g}"
    if re.fullmatch(r"[+-]?\d+,\d+", value):
        return f": write {value.replace(',', '.')}"
    if re.fullmatch(r"[+-]?\.\d+", value):
        return f": write {value.replace('.', '0.')}"
    if not isinstance(value, Scalar) and re.fullmatch(r"[+-]?\d+(\.\d+)?", value):
        return f": write {value} without quotes"
    return ""


def whole(value: Any) -> Any:
    """A whole number."""
    found = number(value)
    if found != int(found):
        raise refused(f"found {shown(value)}, expected a whole number")
    return int(found)


def fraction(value: Any) -> Any:
    """A part of one, from 0 to 1: 5 % is 0.05."""
    found = number(value)
    if 1 < found <= 100:
        raise refused(f"found {shown(value)}, expected a number from 0 to 1: write {found / 100:.10g} for {found:g} %")
    if not 0 <= found <= 1:
        raise refused(f"found {shown(value)}, expected a number from 0 to 1")
    return found


_UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 24 * 3600.0}


def duration(value: Any) -> Any:
    """A length of time with its unit: ``90s``, ``30m``, ``12h``, ``7d``; in seconds."""
    if isinstance(value, float):
        return value  # the default
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s?([smhd])", str(value).strip(), re.ASCII)
    if not found:
        raise refused(f"found {shown(value)}, expected a length of time with its unit, such as 90s, 30m, 12h or 7d")
    return float(found[1]) * _UNITS_S[found[2]]


_ANY_SCALAR = WithJsonSchema({"type": ["string", "number", "boolean", "null"]})
"""An editor reads 010 as a number and null as nothing, where fairgate reads the text."""

Plain = Annotated[str, BeforeValidator(plain_text), _ANY_SCALAR]
Name = Annotated[str, BeforeValidator(name_text), _ANY_SCALAR]
Text = Annotated[str, BeforeValidator(text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Filled = Annotated[str, BeforeValidator(filled_text), WithJsonSchema({"type": ["string", "number", "boolean"]})]
Typed = Annotated[Any, BeforeValidator(typed_value)]
Flag = Annotated[bool, BeforeValidator(flag)]
Number = Annotated[float, BeforeValidator(number)]
Whole = Annotated[int, BeforeValidator(whole)]
Duration = Annotated[float, BeforeValidator(duration), WithJsonSchema({"type": "string"})]
Fraction = Annotated[float, Field(ge=0, le=1), BeforeValidator(fraction)]
