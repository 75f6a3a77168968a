"""The base of every part of the configuration, and how a part says what is wrong with it."""

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import CoreSchema, InitErrorDetails

from fairgate.config.values import OneOrMany, is_null, name_text, plain_text, refused

Where = tuple[str | int, ...]
"""A place: keys and positions, e.g. ``("rules", 1)``."""

Problem = tuple[Where, str]
"""A place inside the part, and one sentence about it."""


class Section(BaseModel):
    """Base of every part of the configuration: immutable, unknown keys refused, every problem reported at once.

    A part that has more to check than single values overrides ``problems``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # built when used

    refused_keys: ClassVar[Mapping[str, str]] = {}
    """Keys that people will try here, each with the sentence that refuses it."""

    def problems(self) -> Iterable[Problem]:
        """What is wrong with the part as a whole, each with its place inside the part."""
        return ()

    @model_validator(mode="before")
    @classmethod
    def _prepare(cls, data: Any, info: ValidationInfo) -> Any:
        """Drop optional keys that say ``null``, and note which part of the model reads these data."""
        if not isinstance(data, dict):
            return data
        if isinstance(info.context, dict):
            info.context[id(data)] = cls
        return {key: value for key, value in data.items() if not (is_null(value) and cls._may_be_absent(key))}

    @classmethod
    def _may_be_absent(cls, key: str) -> bool:
        known = cls.model_fields.get(key)
        if known is None or known.is_required() or known.annotation is bool:
            return False  # a flag that says nothing is a slip, and must not become a no
        return not _takes_any_text(known.annotation)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """As pydantic has it, with ``null`` allowed wherever a key may be absent."""
        reference = handler(schema)
        described = handler.resolve_ref_schema(reference)
        for key, value in described.get("properties", {}).items():
            if key not in described.get("required", ()):
                described["properties"][key] = _or_null(value)
        return reference

    @model_validator(mode="after")
    def _refuse_problems(self) -> Self:
        found = [InitErrorDetails(type=refused(text), loc=where, input=None) for where, text in self.problems()]
        if found:
            raise ValidationError.from_exception_data(type(self).__name__, found)
        return self


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    if {"type": "null"} in schema.get("anyOf", ()) or not schema.keys() - {"title", "default"}:
        return schema
    outer: dict[str, Any] = {key: schema.pop(key) for key in ("title", "default", "description") if key in schema}
    return {**outer, "anyOf": [schema, {"type": "null"}]}


def _takes_any_text(annotation: Any) -> bool:
    """Whether ``null`` is a name in this place: its type is ``Plain`` or ``Name``, or one or many of them, or None."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        if any(isinstance(mark, OneOrMany) for mark in marks):
            return _takes_any_text(get_args(inner)[0])
        validators = [mark.func for mark in marks if isinstance(mark, BeforeValidator)]
        return plain_text in validators or name_text in validators
    if get_origin(annotation) in (Union, UnionType):
        return any(_takes_any_text(part) for part in get_args(annotation))
    return False
