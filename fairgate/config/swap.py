"""A swap suite as it is written: axes and levels, outcomes, rules."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    Tag,
    model_validator,
)

from fairgate.config import checks
from fairgate.config.compared import SwapComparison, measured_in, rule_kind
from fairgate.config.mitigation import AS_IT_IS, MASKED_ARM, Mask, Mitigation, Needed
from fairgate.config.outcome import ColumnOutcome, Outcome
from fairgate.config.packs import FromPack, names_pack
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
from fairgate.config.values import Filled, Fraction, Name, Plain, Typed, Whole, choice, nfc, shown

MOST_REPEATS = 9
"""Identical calls on top of the first: beyond that they tell hardly more about the noise, and cost as much each."""


class SwapRule(Rule):
    """A limit over a swap suite: a flip rate, flips beyond the system's own noise, a gap between groups in selections
    or refusals, or a floor under a group's selection rate."""

    max_flip_rate: Fraction | None = None
    max_excess_flip_rate: Fraction | None = None
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
            "max_excess_flip_rate": self.max_excess_flip_rate,
            "max_group_gap": self.max_group_gap,
            "max_refusal_gap": self.max_refusal_gap,
            "worst_group": self.worst_group,
        }
        given = [name for name, limit in limits.items() if limit is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            yield (), f"rule {self.id}: found {found}, expected exactly one of {', '.join(limits)}"
        elif self.max_excess_flip_rate is not None:
            yield from self._excess_problems()
        elif self.max_flip_rate is not None:
            if self.rate is not None or self.attribute is not None:
                yield (), f"rule {self.id}: max_flip_rate counts flips over every axis: remove rate and attribute"
        elif self.max_refusal_gap is not None:
            if self.rate == "selection" or self.attribute is None:
                yield (), f"rule {self.id}: max_refusal_gap needs an attribute, and no rate besides refusal"
        elif self.rate != "selection" or self.attribute is None:
            yield (), f"rule {self.id}: {given[0]} needs rate: selection and an attribute"

    def _excess_problems(self) -> Iterator[Problem]:
        if self.rate is not None:
            yield (), f"rule {self.id}: max_excess_flip_rate counts pairs of answers that differ: remove rate"
        if len(self.attribute or ()) > 1:
            message = "max_excess_flip_rate takes one axis, or none for all of them; write a rule for each"
            yield (
                ("attribute",),
                f"rule {self.id}: found a crossing of {checks.listed(self.attribute or ())}, and {message}",
            )


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
Axis = Annotated[dict[Name, Level], FromPack()]
Change = Annotated[dict[Name, Typed], Field(min_length=1)]


Design = Literal["full", "one_at_a_time"]
"""Which combinations of levels are asked: all, or the first levels and every other level by itself."""


class HarnessSuite(Reviewed):
    """A swap suite that asks a system."""

    name: Filled
    system: Name
    cases: Filled
    axes: dict[Name, Axis] = Field(min_length=1)
    design: Annotated[Design, BeforeValidator(choice)] = "full"
    outcome: Outcome
    must_respond_to: list[Change] = Field(default_factory=list)
    control: Whole = Field(default=0, ge=0, le=MOST_REPEATS)
    redact: Annotated[list[Name], Many] = Field(default_factory=list)
    proxies: dict[Name, Groups] = Field(default_factory=dict)
    needed: Needed | None = None
    mask: Mask | None = None
    mitigations: Annotated[list[Mitigation], Many] = Field(default_factory=list)
    written_rules: list[AnySwapRule] = Field(min_length=1, alias="rules")
    _packs: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _note_packs(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Keep the name of every pack: the axes themselves hold its people."""
        suite = handler(data)
        axes = data.get("axes") if isinstance(data, dict) else None
        if isinstance(axes, dict):
            suite._packs.update({nfc(axis): str(value["pack"]) for axis, value in axes.items() if names_pack(value)})
        return suite

    @property
    def packs(self) -> dict[str, str]:
        """The axes whose people come from a pack, with its name."""
        return dict(self._packs)

    @property
    def rules(self) -> list[SwapRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, SwapRule)

    @property
    def tried(self) -> list[Mitigation]:
        """Everything to try beside the suite as it is: its own ``mask``, then its mitigations."""
        return [*(Mitigation(name=name, mask=self.mask) for name in self._mask_names), *self.mitigations]

    @property
    def _mask_names(self) -> list[str]:
        return [MASKED_ARM] if self.mask is not None else []

    def problems(self) -> Iterator[Problem]:
        """Axes that can be swapped, rules and proxies of axes that exist, mitigations with names of their own."""
        yield from checks.axis_problems(self.axes, one_at_a_time=self.design == "one_at_a_time")
        yield from checks.proxy_problems(self.proxies, self.axes)
        yield from checks.taken_names([one.name for one in self.mitigations], [AS_IT_IS, *self._mask_names])
        yield from suite_rule_problems(self.written_rules, self.axes)
        if self.design == "one_at_a_time":
            yield from checks.uncrossed_problems(self.written_rules)
        if self.control < 1:
            message = (
                "needs the same variant asked again, to know the system's own noise: write control: 1 in the suite"
            )
            yield from _excess_refused(self.written_rules, message)
        yield from refusal_problems(self.written_rules, self.outcome)


class DecisionsSuite(Reviewed):
    """A swap suite over decisions that were made elsewhere."""

    refused_keys: ClassVar[dict[str, str]] = {
        "control": "decisions made elsewhere cannot be asked again; a control is for a suite that asks a system"
    }

    name: Filled
    decisions: Filled
    base: Name
    axes: dict[Name, Groups] = Field(min_length=1)
    outcome: ColumnOutcome
    expected: ExpectedCases | None = None
    decision_maker: Decider | None = None
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
        message = (
            "needs the same variant asked again, and decisions made elsewhere hold no such repeats; use max_flip_rate"
        )
        yield from _excess_refused(self.written_rules, message)


def _excess_refused(rules: list[Any], message: str) -> Iterator[Problem]:
    for i, rule in enumerate(rules):
        if getattr(rule, "max_excess_flip_rate", None) is not None:
            yield ("rules", i, "max_excess_flip_rate"), f"rule {rule.id}: max_excess_flip_rate {message}"


def _swap_kind(value: Any) -> str:
    decided = isinstance(value, DecisionsSuite) or (isinstance(value, dict) and "decisions" in value)
    return "<decisions>" if decided else "<harness>"


SwapSuite = Annotated[
    Annotated[HarnessSuite, Tag("<harness>")] | Annotated[DecisionsSuite, Tag("<decisions>")],
    Discriminator(_swap_kind),
]
