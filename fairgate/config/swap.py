"""A swap suite as it is written: axes and levels, outcomes, rules."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
from fairgate.config.compared import SwapComparison, measured_in, rule_kind
from fairgate.config.outcome import ColumnOutcome, Outcome
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section
from fairgate.config.suite import Attribute, ExpectedCases, Groups, Many, WorstGroup, suite_rule_problems
from fairgate.config.values import Filled, Fraction, Name, Plain, Typed, choice, shown


class SwapRule(Rule):
    """A limit over a swap suite: a flip rate, a gap between groups in selections or refusals, or a floor under a
    group's selection rate."""

    max_flip_rate: Fraction | None = None
    rate: Annotated[Literal["selection", "refusal"], BeforeValidator(choice)] | None = None
    attribute: Attribute | None = None
    max_group_gap: Fraction | None = None
    max_refusal_gap: Fraction | None = None
    worst_group: WorstGroup | None = None

    @property
    def gap(self) -> float | None:
        """The limit of a gap between groups, in whichever rate."""
        return self.max_group_gap if self.max_refusal_gap is None else self.max_refusal_gap

    @property
    def of_refusals(self) -> bool:
        """Whether the gap is one in refusals, not in selections."""
        return self.max_refusal_gap is not None

    def problems(self) -> Iterator[Problem]:
        """Exactly one metric, with what it needs and nothing that it would not look at."""
        limits = {
            "max_flip_rate": self.max_flip_rate,
            "max_group_gap": self.max_group_gap,
            "max_refusal_gap": self.max_refusal_gap,
            "worst_group": self.worst_group,
        }
        given = [name for name, limit in limits.items() if limit is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            yield (), f"rule {self.id}: found {found}, expected exactly one of {', '.join(limits)}"
        elif self.max_flip_rate is not None:
            if self.rate is not None or self.attribute is not None:
                yield (), f"rule {self.id}: max_flip_rate counts flips over every axis: remove rate and attribute"
        elif self.max_refusal_gap is not None:
            if self.rate == "selection" or self.attribute is None:
                yield (), f"rule {self.id}: max_refusal_gap needs an attribute, and no rate besides refusal"
        elif self.rate != "selection" or self.attribute is None:
            yield (), f"rule {self.id}: {given[0]} needs rate: selection and an attribute"


def refusal_problems(rules: Sequence[Rule], outcome: Outcome) -> Iterator[Problem]:
    """A rule over refusals needs a refusal that is declared."""
    for number, rule in enumerate(rules):
        if isinstance(rule, SwapRule) and rule.of_refusals and outcome.refusal is None:
            message = f"rule {rule.id}: max_refusal_gap counts refusals: declare under outcome what a refusal is"
            yield ("rules", number, "max_refusal_gap"), message


AnySwapRule = Annotated[
    Annotated[SwapRule, Tag("<measured>")] | Annotated[SwapComparison, Tag("<compared>")],
    Discriminator(rule_kind),
]


LevelFields = Annotated[dict[Name, Plain], Field(min_length=1)]
Level = Annotated[list[LevelFields], Field(min_length=1), Many]
Change = Annotated[dict[Name, Typed], Field(min_length=1)]


class HarnessSuite(Section):
    """A swap suite that asks a system."""

    name: Filled
    system: Name
    cases: Filled
    axes: dict[Name, dict[Name, Level]] = Field(min_length=1)
    outcome: Outcome
    must_respond_to: list[Change] = Field(default_factory=list)
    written_rules: list[AnySwapRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[SwapRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, SwapRule)

    def problems(self) -> Iterator[Problem]:
        """Axes that can be swapped, rules over axes that exist."""
        yield from checks.axis_problems(self.axes)
        yield from suite_rule_problems(self.written_rules, self.axes)
        yield from refusal_problems(self.written_rules, self.outcome)


class DecisionsSuite(Section):
    """A swap suite over decisions that were made elsewhere."""

    name: Filled
    decisions: Filled
    base: Name
    axes: dict[Name, Groups] = Field(min_length=1)
    outcome: ColumnOutcome
    expected: ExpectedCases | None = None
    written_rules: list[AnySwapRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[SwapRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, SwapRule)

    def problems(self) -> Iterator[Problem]:
        """Declared levels, columns of their own, rules over axes that exist."""
        yield from checks.declaration_problems(self.axes, "axes")
        for axis, levels in self.axes.items():
            if len(levels) < 2:
                yield ("axes", axis), f"an axis needs at least two levels, found {checks.listed(levels)}"
            if axis in (self.base, self.outcome.column):
                yield ("axes", axis), f"the column {shown(axis)} is named as base or outcome already; expected another"
        if self.base == self.outcome.column:
            yield ("outcome", "column"), f"the column {shown(self.base)} is named as base already; expected another"
        yield from suite_rule_problems(self.written_rules, self.axes)
        yield from refusal_problems(self.written_rules, self.outcome)


def _swap_kind(value: Any) -> str:
    decided = isinstance(value, DecisionsSuite) or (isinstance(value, dict) and "decisions" in value)
    return "<decisions>" if decided else "<harness>"


SwapSuite = Annotated[
    Annotated[HarnessSuite, Tag("<harness>")] | Annotated[DecisionsSuite, Tag("<decisions>")],
    Discriminator(_swap_kind),
]
