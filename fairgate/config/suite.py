"""What the suites of every kind are made of: groups, floors, and what is expected of a file."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fairgate.config import checks
from fairgate.config.compared import nothing_to_compare
from fairgate.config.section import Problem, Section
from fairgate.config.values import Filled, Flag, Fraction, Name, OneOrMany, Whole, choice

Many = OneOrMany()
Attribute = Annotated[list[Name], Field(min_length=1), Many]
Groups = Annotated[list[Name], Field(min_length=1)]


Decider = Annotated[Literal["human", "automatic"], BeforeValidator(choice)]
"""Who decides about a person in the end: somebody who has the system's answer before them, or the system by itself."""


class Reviewed(Section):
    """What a suite of any kind may ask of people, whatever its numbers say."""

    high_stakes: Flag = False
    human_signoff: Annotated[Literal["required"], BeforeValidator(choice)] | None = None


class WorstGroup(Section):
    """A floor under, or a ceiling over, every group's rate: exactly one of the two."""

    min: Fraction | None = None
    max: Fraction | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one of the two."""
        if (self.min is None) == (self.max is None):
            yield (), f"found {_both_or_none(self.min)} min and max, expected exactly one of them"


class ExpectedCases(Section):
    """What is expected, fixed before outcomes are seen: how many cases, or which ids. Exactly one of the two."""

    cases: Whole | None = Field(default=None, ge=1)
    ids: Filled | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one of the two."""
        if (self.cases is None) == (self.ids is None):
            yield (), f"found {_both_or_none(self.cases)} cases and ids, expected exactly one of them"


def suite_rule_problems(rules: list[Any], declared: Any) -> Iterator[Problem]:
    """Rules with ids of their own, over attributes that are declared."""
    yield from checks.rule_id_problems([rule.id for rule in rules])
    yield from nothing_to_compare(rules)
    for i, rule in enumerate(rules):
        where = ("rules", i, "attribute")
        yield from checks.crossing_problems(
            getattr(rule, "attribute", None) or [], declared, where, f"rule {rule.id}: "
        )


def _both_or_none(one_of_them: object) -> str:
    return "neither of" if one_of_them is None else "both"
