"""How a decision is read out of an answer: declared words, a pattern, a path into JSON, a score with a cut, refusals.

Patterns and paths are compiled where answers are read; what can be seen without compiling is checked here.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_before_validator_function

from fairgate.config.section import Problem, Section
from fairgate.config.values import Filled, Flag, Name, Plain, Scalar, choice, number


def exact(value: Any) -> Decimal:
    """A number as the person wrote it, in decimals: 0.7 is 0.7 and not the float beside it."""
    found = number(value)
    try:
        return Decimal(str(value) if isinstance(value, Scalar) else repr(found))
    except InvalidOperation:  # YAML has other ways to write a number: 0x1F, 1_000
        return Decimal(repr(found))


Exact = Annotated[Decimal, BeforeValidator(exact), WithJsonSchema({"type": "number"})]
Words = Annotated[list[Plain], Field(min_length=1)]


class Score(Section):
    """A numeric score, and the cut from which (or up to which) it is the positive outcome, inclusive."""

    path: Filled | None = None
    pattern: Filled | None = None
    positive_from: Exact | None = None
    positive_up_to: Exact | None = None
    range: Annotated[list[Exact], Field(min_length=2, max_length=2)] | None = None
    decimal: Annotated[Literal["point", "comma"], BeforeValidator(choice)] = "point"

    def problems(self) -> Iterator[Problem]:
        """One way to find the number, one cut, and scores on both sides of it."""
        yield from _at_most_one(self.path, self.pattern)
        if (self.positive_from is None) == (self.positive_up_to is None):
            found = "neither" if self.positive_from is None else "both"
            yield (), f"found {found} of positive_from and positive_up_to, expected exactly one: it is the cut"
        elif self.range is not None:
            yield from self._range_problems(*self.range)

    def _range_problems(self, lowest: Decimal, highest: Decimal) -> Iterator[Problem]:
        if lowest >= highest:
            yield ("range",), f"found {lowest} to {highest}, expected the lowest score and then the highest"
        elif self.positive_from is not None and not lowest < self.positive_from <= highest:
            yield ("positive_from",), f"found {self.positive_from}, expected a cut {self._inside(lowest, highest)}"
        elif self.positive_up_to is not None and not lowest <= self.positive_up_to < highest:
            yield ("positive_up_to",), f"found {self.positive_up_to}, expected a cut {self._inside(lowest, highest)}"

    @staticmethod
    def _inside(lowest: Decimal, highest: Decimal) -> str:
        return f"inside the range {lowest} to {highest}, with scores on both sides of it"


class Refusal(Section):
    """What an answer says that refuses to decide: a class of its own, neither positive nor negative."""

    words: Annotated[list[Plain], Field(min_length=1)] | None = None
    pattern: Filled | None = None
    by_model: Flag = False

    def problems(self) -> Iterator[Problem]:
        """It says something."""
        if self.words is None and self.pattern is None and not self.by_model:
            yield (), "found no way to know a refusal, expected words, a pattern, or by_model: true"


class _WordsOrMapping:
    """Marks ``refusal``: a plain list is its words."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(
            lambda value: {"words": value} if isinstance(value, list) else value, handler(source)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        mapping = handler(schema)
        words = {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}, "minItems": 1}
        return {"anyOf": [words, mapping]}


class Outcome(Section):
    """What a decision is made of. Everything that is none of it is a missing outcome."""

    positive: Words | None = None
    negative: Words | None = None
    pattern: Filled | None = None
    path: Filled | None = None
    score: Score | None = None
    refusal: Annotated[Refusal, _WordsOrMapping()] | None = None

    def problems(self) -> Iterator[Problem]:
        """Words for both decisions, or a score in their place."""
        if self.score is not None:
            for key in ("positive", "negative", "pattern", "path"):
                if getattr(self, key) is not None:
                    yield (key,), f"a score decides by its cut: {_instead(key)}"
            return
        yield from _at_most_one(self.path, self.pattern)
        for key in ("positive", "negative"):
            if getattr(self, key) is None:
                yield (key,), "is missing; it is required here, unless there is a score with its cut"


class ColumnOutcome(Outcome):
    """The same, in a column of a file with decisions."""

    column: Name

    def problems(self) -> Iterator[Problem]:
        """As above; no model is asked here that could refuse by itself."""
        yield from super().problems()
        if self.refusal is not None and self.refusal.by_model:
            yield ("refusal", "by_model"), "no model is asked here: a file says with a word what was refused"


def _at_most_one(path: str | None, pattern: str | None) -> Iterator[Problem]:
    if path is not None and pattern is not None:
        yield (
            ("pattern",),
            "found both, path and pattern, expected one of them: it finds what the decision is read from",
        )


def _instead(key: str) -> str:
    return f"write {key} under score" if key in ("pattern", "path") else f"remove {key}"
