"""What judging yields: the result of a rule, of a suite, and the counts they rest on.

These are the words of ``report.json`` (schema ``fairgate.report/1``); ``fairgate.report`` puts a whole run together
from them and ``fairgate.render`` knows nothing else. Every rate is a float in [0, 1]; a value that does not exist is
``None``, never NaN.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from fairgate.verdict import Verdict

Interval = tuple[float, float]


class Result(BaseModel):
    """Base of everything that goes into the report: immutable, closed, finite, and text that UTF-8 can hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        return _without_lone_surrogates(value)


def _without_lone_surrogates(value: Any) -> Any:
    """Lone surrogates (half a character, as a model's JSON may hold) written out as text: ``\\ud800``."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_without_lone_surrogates(item) for item in value)
    return value


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


class RuleResult(Result):
    """One rule's verdict, why, and the numbers behind it."""

    id: str
    verdict: Verdict
    underlying: Verdict = Field(description="from the numbers alone, before any review")
    reasons: list[str] = Field(description="snake_case codes")
    message: str = Field(description="one plain sentence with numbers, not escaped for any format")
    metric: str
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
    left_out: LeftOut | None = None


class Remark(Result):
    """Something a reader has to know that is not a rule: a code and one sentence."""

    code: str
    message: str


class Counts(Result):
    """What a suite was about, printed before any verdict."""

    cases: int = Field(description="cases (swap: base cases) expected")
    expected: int = Field(description="observations expected: variants asked, rows decided")
    observed: int
    missing: int
    missing_reasons: dict[str, int] = Field(default_factory=dict, description="reason code: how many")
    unreadable: dict[str, int] = Field(default_factory=dict, description="spelling of an unreadable outcome: how many")
    details: list[str] = Field(default_factory=list, description="first sentences of failed calls, one per reason")
    completeness: Literal["declared", "not_declared"] = "declared"


class CalibrationGroup(Result):
    """Expected calibration error of one group: reported, never a rule."""

    attribute: list[str]
    group: str
    n: int
    ece: float | None
    left_out: int = Field(default=0, description="probabilities that are blank or no number in [0, 1]")


class Selection(Result):
    """Selection rates of every level of an axis, or of every cell of a crossing."""

    attribute: list[str]
    groups: list[Group]


class Direction(Result):
    """In ``bases`` bases ``favoured`` got the positive outcome where ``over``, all else equal, got the negative one."""

    axis: str
    favoured: str
    over: str
    bases: int


class PositiveControl(Result):
    """A change that ought to move the decision: proof that the suite can see anything."""

    change: dict[str, JsonValue]
    asked: int
    answered: int
    responded: int


class Flips(Result):
    """The count of decisions that changed when only the person changed."""

    bases: int
    complete: int
    flipped: int
    rate: float | None = Field(description="flipped / bases known to have flipped or not; null when none is")
    interval: Interval
    favoured: dict[str, int] = Field(
        description="level: bases in which it got the positive outcome where another level got the negative one"
    )
    directions: list[Direction] = Field(default_factory=list)
    responds: list[PositiveControl] = Field(default_factory=list)


class Side(Result):
    """One of the two people of a flip."""

    group: dict[str, str]
    outcome: Literal["positive", "negative"]
    answer: str = Field(description="as the system wrote it")


class Difference(Result):
    """A field in which the two people of a flip differ."""

    field: str
    positive: str
    negative: str


class FlipExample(Result):
    """One flip that a person can read: what differed, what each got."""

    case: str
    axes: list[str] = Field(description="the axes in which the two people differ")
    differs: list[Difference]
    positive: Side
    negative: Side


class SuiteResult(Result):
    """One suite: what it was about, its rules, its verdict."""

    name: str
    kind: Literal["swap", "fairness", "rag"]
    verdict: Verdict
    system: str | None = None
    assumption: str | None = Field(default=None, description="what the intervals take for granted")
    counts: Counts
    rules: list[RuleResult]
    warnings: list[Remark] = Field(default_factory=list)
    calibration: list[CalibrationGroup] | None = None
    flips: Flips | None = None
    selection: list[Selection] | None = None
    examples: list[FlipExample] | None = None


class Finding(Result):
    """What ``fairgate validate`` has to say about one place of the configuration."""

    severity: Literal["error", "remark"]
    where: tuple[str | int, ...] = Field(description="path of keys in the file, e.g. ('swap', 0, 'rules', 1)")
    message: str
