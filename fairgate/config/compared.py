"""Rules over what a change made worse, beside the same suite of a baseline: what they have in common.

A suite writes them under ``rules`` among the others. ``suite.rules`` are the rules over this run alone, so that whoever
measures sees no others; ``suite.written_rules`` are all of them, as written.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BeforeValidator, Field

from fairgate.config.rule import Rule
from fairgate.config.section import Problem
from fairgate.config.values import Flag, Fraction, Name, OneOrMany, choice

KEYS = ("no_new_flips", "no_new_failures", "max_regression")
"""The keys by which a rule is known for one over the change."""

_Measured = TypeVar("_Measured", bound=Rule)


class ComparisonRule(Rule):
    """A rule that needs a baseline."""

    def one_of(self, *keys: str) -> Iterator[Problem]:
        """Exactly one of the keys is given."""
        values = {key: getattr(self, key) for key in keys}
        given = [key for key, value in values.items() if value is not None and value is not False]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            yield (), f"rule {self.id}: found {found}, expected exactly one of {', '.join(keys)}"


class SwapComparison(ComparisonRule):
    """A limit on what a change makes worse: cases that newly flip, rules that newly fail, a flip rate or a gap between
    groups that grows."""

    no_new_flips: Flag = False
    no_new_failures: Flag = False
    max_regression: Fraction | None = None
    rate: Annotated[Literal["selection"], BeforeValidator(choice)] | None = None
    attribute: Annotated[list[Name], Field(min_length=1), OneOrMany()] | None = None

    def problems(self) -> Iterator[Problem]:
        """One of the three; rate and attribute belong to the regression of a gap."""
        yield from self.one_of(*KEYS)
        if (self.rate is None) != (self.attribute is None):
            yield (), f"rule {self.id}: the regression of a gap needs both, rate: selection and an attribute"
        elif self.rate is not None and self.max_regression is None:
            yield (), f"rule {self.id}: remove rate and attribute: they belong to max_regression"


class FairnessComparison(ComparisonRule):
    """Rules over decided cases must not newly fail. Nothing is paired: those are other people each time."""

    refused_keys: ClassVar[dict[str, str]] = {
        "max_regression": "max_regression compares the same cases twice, and decided cases are other people each "
        "time: it is for swap and rag suites",
        "no_new_flips": "no_new_flips is for swap suites: nobody is swapped in decided cases",
    }

    no_new_failures: Flag = False

    def problems(self) -> Iterator[Problem]:
        """It is asked for."""
        yield from self.one_of("no_new_failures")


def rule_kind(value: Any) -> str:
    """Which of the two an entry of ``rules`` is, as a tag: over this run, or over the change."""
    compared = isinstance(value, ComparisonRule) or (isinstance(value, dict) and any(key in value for key in KEYS))
    return "<compared>" if compared else "<measured>"


def measured_in(rules: Sequence[Rule], kind: type[_Measured]) -> list[_Measured]:
    """The rules over this run alone, in their order."""
    return [rule for rule in rules if isinstance(rule, kind)]


def compared_in(rules: Sequence[Rule]) -> list[ComparisonRule]:
    """The rules over the change, in their order."""
    return [rule for rule in rules if isinstance(rule, ComparisonRule)]


def numbered(rules: Sequence[Rule], kind: type[_Measured]) -> list[tuple[int, _Measured]]:
    """The rules over this run alone, each with its position under ``rules``."""
    return [(position, rule) for position, rule in enumerate(rules) if isinstance(rule, kind)]


def nothing_to_compare(rules: Sequence[Rule]) -> Iterator[Problem]:
    """``no_new_failures`` is about the other rules of its suite: there has to be one."""
    if all(isinstance(rule, ComparisonRule) for rule in rules):
        for position, rule in enumerate(rules):
            if getattr(rule, "no_new_failures", False):
                yield (
                    ("rules", position),
                    f"rule {rule.id}: no_new_failures compares the other rules of its suite, and there is none",
                )
