"""What judging a rule yields, and the groups and gaps behind it."""

from typing import Literal

from pydantic import Field

from fairgate.results.base import Interval, Result
from fairgate.verdict import Verdict


class Group(Result):
    """One declared group of a rule (or a crossing: one level of each attribute)."""

    group: dict[str, str]
    eligible: int = Field(description="expected observations in the rate's denominator, missing ones included")
    observed: int
    missing: int
    events: int
    estimate: float | None = Field(description="events / observed; null when nothing was observed")
    interval: Interval
    bases: int | None = Field(default=None, description="swap: expected base cases, the unit of the interval")
    verdict: Verdict | None = None


class Gap(Result):
    """The pair of groups with the largest upper end (then lower end) of the absolute difference of their rates."""

    between: tuple[dict[str, str], dict[str, str]]
    estimate: float | None
    interval: Interval


class DenominatorShare(Result):
    """The part of a rate's own denominator that was left out, as far as it is known."""

    cases: int
    of: int
    fraction: float


class LeftOut(Result):
    """Cases that belong to no declared group of a rule."""

    cases: int
    of: int = Field(description="all data rows")
    fraction: float
    missing_attribute: int
    undeclared_value: int
    undeclared: dict[str, int] = Field(default_factory=dict, description="spelling found: how often")
    limit: float
    denominator: DenominatorShare | None = None


class GroupNeed(Result):
    """How many cases a group needs: so many more, and then so many in all, in the rate's denominator."""

    group: dict[str, str]
    more: int
    cases: int


class Settle(Result):
    """What would settle an undecided rule by one method, if the rates stay as they are. An estimate, for planning."""

    method: Literal["interval", "exact"]
    by: Literal["missing", "cases", "nothing"] = Field(
        description="filling in what is missing; more cases; nothing that is practical"
    )
    verdict: Verdict | None
    power: float = Field(description="the chance of this verdict with so many cases")
    more: list[GroupNeed] = Field(default_factory=list)


class RuleResult(Result):
    """One rule's verdict, why, and the numbers behind it."""

    id: str
    verdict: Verdict
    underlying: Verdict = Field(description="from the numbers alone, before any review")
    reasons: list[str] = Field(description="snake_case codes")
    message: str = Field(description="one plain sentence with numbers, not escaped for any format")
    metric: str
    of: str | None = Field(default=None, description="regression: the metric that is compared with the baseline")
    rate: str | None = None
    bound: Literal["min", "max"] | None = Field(default=None, description="of worst_group: floor or ceiling")
    limit: float
    decided_by: str | None = None
    why: str | None = None
    estimate: float | None
    interval: Interval
    confidence: float
    confidence_per_group: float | None = Field(default=None, description="method interval: 1 - alpha/G, two-sided")
    attribute: list[str] | None = None
    method: str | None = None
    groups: list[Group] | None = None
    gap: Gap | None = None
    ratio: Gap | None = Field(
        default=None, description="min_ratio: the first group's rate over the second's, with the smallest lower end"
    )
    beyond: list[tuple[dict[str, str], dict[str, str]]] | None = Field(
        default=None, description="method exact, FAIL: further pairs that are surely beyond the limit"
    )
    settle: list[Settle] | None = Field(
        default=None, description="INSUFFICIENT_EVIDENCE: what would settle it, by the rule's method, then by the other"
    )
    left_out: LeftOut | None = None
    require: Literal["all", "pass_rate", "mean"] | None = Field(
        default=None, description="rag: limit is of each case (all, pass_rate) or of the mean over cases"
    )
    pass_rate: float | None = Field(default=None, description="rag: the share of cases that has to pass, in [0, 1]")
    compared: int | None = Field(
        default=None, description="about a change: cases (no_new_failures: rules and scores) that both runs have"
    )
