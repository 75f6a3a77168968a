"""The base of every part of the configuration, and how a part says what is wrong with it."""

from collections.abc import Iterable, Mapping
from types import UnionType
from typing import Annotated, Any, ClassVar, Self, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, ValidationInfo, model_validator
from pydantic_core import InitErrorDetails

from fairgate.config.values import is_null, name_text, one_or_many, plain_text, refused

Problem = tuple[tuple[str | int, ...], str]
"""A place inside the part, and one sentence about it."""


class Section(BaseModel):
    """Base of every part of the configuration: immutable, unknown keys refused, every problem reported at once.

    A part that has more to check than single values overrides ``problems``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
        return known is not None and not known.is_required() and not _takes_any_text(known.annotation)

    @model_validator(mode="after")
    def _refuse_problems(self) -> Self:
        found = [InitErrorDetails(type=refused(text), loc=where, input=None) for where, text in self.problems()]
        if found:
            raise ValidationError.from_exception_data(type(self).__name__, found)
        return self


def _takes_any_text(annotation: Any) -> bool:
    """Whether ``null`` is a name in this place: its type is ``Plain`` or ``Name``, or one or many of them, or None."""
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        validators = [mark.func for mark in marks if isinstance(mark, BeforeValidator)]
        if one_or_many in validators:
            return _takes_any_text(get_args(inner)[0])
        return plain_text in validators or name_text in validators
    if get_origin(annotation) in (Union, UnionType):
        return any(_takes_any_text(part) for part in get_args(annotation))
    return False
