"""A fairness suite as it is written: decided cases, groups, rules over their rates."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
from fairgate.config.compared import FairnessComparison, measured_in, numbered, rule_kind
from fairgate.config.rule import Rule
from fairgate.config.section import Problem
from fairgate.config.suite import (
    Attribute,
    Decider,
    ExpectedCases,
    Groups,
    Many,
    Reviewed,
    WorstGroup,
    suite_rule_problems,
)
from fairgate.config.values import Filled, Fraction, Name, Plain, Whole, choice, shown

ParityRate = Literal[
    "error", "false_positive", "false_negative", "selection", "positive_predictive_value", "false_discovery_rate"
]


class FairnessRule(Rule):
    """A limit over decided cases: a gap between groups, a ratio of them, or a floor under the worst of them."""

    rate: Annotated[ParityRate, BeforeValidator(choice)]
    attribute: Attribute
    max_group_gap: Fraction | None = None
    min_ratio: Fraction | None = None
    worst_group: WorstGroup | None = None
    max_left_out: Fraction | None = None

    @property
    def metric(self) -> Literal["max_group_gap", "min_ratio", "worst_group"]:
        """The one metric that the rule names."""
        if self.max_group_gap is not None:
            return "max_group_gap"
        return "worst_group" if self.min_ratio is None else "min_ratio"

    def problems(self) -> Iterator[Problem]:
        """Exactly one metric; a ratio only of a rate that is good to have."""
        metrics = {"max_group_gap": self.max_group_gap, "min_ratio": self.min_ratio, "worst_group": self.worst_group}
        named = [key for key, value in metrics.items() if value is not None]
        if len(named) != 1:
            found = " and ".join(named) or "none of max_group_gap, min_ratio and worst_group"
            yield (), f"rule {self.id}: found {found}, expected exactly one of the three"
        if self.min_ratio is not None and self.rate != "selection":
            message = f"min_ratio is the four-fifths rule over rate: selection, found {self.rate}; use max_group_gap"
            yield ("min_ratio",), f"rule {self.id}: {message}"


AnyFairnessRule = Annotated[
    Annotated[FairnessRule, Tag("<measured>")] | Annotated[FairnessComparison, Tag("<compared>")],
    Discriminator(rule_kind),
]


Words = Annotated[list[Plain], Field(min_length=1), Many]
DecisionWords = dict[Annotated[Literal["0", "1"], BeforeValidator(choice)], Words]
"""The words that mean 1 and 0, in labels and predictions."""


class FairnessSuite(Reviewed):
    """Parity of decided cases."""

    name: Filled
    cases: Filled
    label: Name | None = None
    prediction: Name
    probability: Name | None = None
    values: DecisionWords = Field(default_factory=dict)
    attributes: dict[Name, Groups] = Field(min_length=1)
    intersections: list[Annotated[list[Name], Field(min_length=1)]] = Field(default_factory=list)
    min_cell: Whole = Field(default=30, ge=0)
    max_left_out: Fraction = 0.10
    unit: Name | None = None
    expected: ExpectedCases | None = None
    method: Annotated[Literal["interval", "exact"], BeforeValidator(choice)] = "interval"
    fail_error: Annotated[Literal["rule", "run"], BeforeValidator(choice)] = "rule"
    strata: Annotated[list[Name], Field(default_factory=list), Many]
    decision_maker: Decider | None = None
    written_rules: list[AnyFairnessRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[FairnessRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, FairnessRule)

    def problems(self) -> Iterator[Problem]:
        """Declared groups, crossings and rules over them, the columns that the rules read."""
        yield from checks.column_problems({"label": self.label, "prediction": self.prediction})
        yield from checks.word_problems(self.values)
        yield from self._strata_problems()
        yield from checks.declaration_problems(self.attributes, "attributes")
        for i, crossing in enumerate(self.intersections):
            yield from checks.crossing_problems(crossing, self.attributes, ("intersections", i))
        yield from suite_rule_problems(self.written_rules, self.attributes)
        for i, rule in numbered(self.written_rules, FairnessRule):
            if rule.worst_group is None:
                yield from checks.gap_problems(rule.attribute, self.attributes, ("rules", i), f"rule {rule.id}: ")
            if rule.rate != "selection" and self.label is None:
                yield (
                    ("rules", i, "rate"),
                    (f"rule {rule.id}: the rate {rule.rate} reads labels; name their column with label"),
                )

    def _strata_problems(self) -> Iterator[Problem]:
        """A stratum is a column of its own, named once."""
        used = {"id": "id", self.prediction: "prediction", self.label: "label", self.probability: "probability"}
        for name in self.strata:
            if name in used:
                yield ("strata",), f"the column {shown(name)} is read as {used[name]} already; expected another"
            used[name] = "a stratum"
