"""What judging yields: the result of a rule, of a suite, and the counts they rest on.

These are the words of ``report.json`` (schema ``fairgate.report/1``); ``fairgate.report`` puts a whole run together
from them and ``fairgate.render`` knows nothing else. Every rate is a float in [0, 1]; a value that does not exist is
``None``, never NaN.
"""

from typing import Any, Literal, Self

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


class Remark(Result):
    """Something a reader has to know that is not a rule: a code and one sentence."""

    code: str
    message: str


class Counts(Result):
    """What a suite was about, printed before any verdict."""

    cases: int = Field(description="cases (swap: base cases) expected")
    of: int | None = Field(default=None, description="cases in the golden file, where a profile's tags chose from them")
    expected: int = Field(description="observations expected: variants asked, rows decided")
    observed: int
    missing: int
    missing_reasons: dict[str, int] = Field(default_factory=dict, description="reason code: how many")
    unreadable: dict[str, int] = Field(default_factory=dict, description="spelling of an unreadable outcome: how many")
    details: list[str] = Field(default_factory=list, description="first sentences of failed calls, one per reason")
    completeness: Literal["declared", "not_declared"] = "declared"


class OutcomeCell(Result):
    """One level of every axis, and how many outcomes a base has there."""

    group: dict[str, str]
    observations: int = Field(ge=1)


class BaseOutcomes(Result):
    """One base case as a later run compares it: which text, which people, what was decided.

    ``outcomes`` holds one sign for every expected observation, cell by cell: ``+`` positive, ``-`` negative, ``r``
    refused, ``?`` missing.
    """

    case: str
    text: str | None = Field(default=None, description="digest of the case without the person; null: not known")
    people: str | None = Field(default=None, description="digest of the people who stood for the levels")
    outcomes: str = Field(pattern="^[+?r-]*$")


class Outcomes(Result):
    """Every outcome of a swap suite, so that a later run can be compared case by case."""

    cells: list[OutcomeCell]
    bases: list[BaseOutcomes]
    absent: int = Field(default=0, ge=0, description="expected bases of which not even the id is known")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        size, names = sum(cell.observations for cell in self.cells), {base.case for base in self.bases}
        if len(names) < len(self.bases) or any(len(base.outcomes) != size for base in self.bases):
            raise ValueError("every base case stands once, with one sign for each expected outcome")
        return self


class CalibrationBin(Result):
    """One row of a reliability table: the cases whose probability is in [from, to), or in [from, 1] for the last."""

    lower: float
    upper: float
    n: int
    probability: float | None = Field(description="mean; null in an empty bin")
    observed: float | None = Field(description="share of label 1; null in an empty bin")


class CalibrationGroup(Result):
    """Expected calibration error of one group: reported, never a rule."""

    attribute: list[str]
    group: str
    n: int
    ece: float | None
    left_out: int = Field(default=0, description="probabilities that are blank or no number in [0, 1]")
    bins: list[CalibrationBin] = Field(default_factory=list, description="its reliability table")


class Selection(Result):
    """Selection rates of every level of an axis, or of every cell of a crossing."""

    attribute: list[str]
    groups: list[Group]


class ScoreGap(Result):
    """By how much the mean score of one level of an axis is above that of another, on the same bases; in score units.

    A missing score stands at either end of the range for the bound that it is worst for.
    """

    axis: str
    between: tuple[str, str]
    bases: int = Field(description="expected base cases")
    complete: int = Field(description="base cases with every score of both levels")
    estimate: float | None = Field(description="mean over the complete bases; null when there is none")
    interval: Interval
    range: Interval = Field(description="the lowest and the highest score")


class Direction(Result):
    """In ``bases`` bases ``favoured`` got the positive outcome where ``over``, all else equal, got the negative one."""

    axis: str
    favoured: str
    over: str
    bases: int


class RefusedDirection(Result):
    """In ``bases`` bases ``refused`` was refused an answer where ``answered``, all else equal, got a decision."""

    axis: str
    refused: str
    answered: str
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
    refused: list[RefusedDirection] = Field(
        default_factory=list, description="who was refused an answer where who got a decision"
    )
    responds: list[PositiveControl] = Field(default_factory=list)


class Side(Result):
    """One of the two people of a flip."""

    group: dict[str, str]
    outcome: Literal["positive", "negative", "refusal"]
    answer: str = Field(description="as the system wrote it")


class Difference(Result):
    """A field in which the two people of a flip differ."""

    field: str
    positive: str
    negative: str


class FlipExample(Result):
    """One flip that a person can read: what differed, what each got.

    ``positive`` is who fared better: who got the positive outcome; or, where nobody did, a decision and no refusal.
    """

    case: str
    axes: list[str] = Field(description="the axes in which the two people differ")
    differs: list[Difference]
    positive: Side
    negative: Side


class Claim(Result):
    """One atomic claim of an answer, and what the judges said of it."""

    claim: str
    supported: bool | None = Field(description="null: the verdict did not come")
    evidence_quote: str | None = Field(description="what the judge quoted for it; null when it quoted nothing")
    quote_found: bool = Field(description="whether the quote is really in the contexts")
    votes: dict[str, bool | None] = Field(default_factory=dict, description="judge: its vote; null when missing")


class JudgeScore(Result):
    """What one judge's verdicts come to."""

    name: str
    model: str | None
    score: float | None
    interval: Interval | None = Field(description="over every completion of its missing verdicts")
    reason: str | None = Field(default=None, description="why there is no score")


class CaseScore(Result):
    """One metric of one case: the score, what it came to, and what it rests on."""

    score: float | None
    interval: Interval | None
    verdict: Verdict | None
    arbitrated: bool = Field(default=False, description="the panel was asked")
    majority: dict[str, int] | None = Field(default=None, description="pass, fail, missing: how many judges")
    judges: list[JudgeScore] = Field(default_factory=list)
    reason: str | None = Field(default=None, description="why there is no score, or what kind of score it is")
    claims: list[Claim] | None = None
    relevance: list[bool | None] | None = Field(default=None, description="verdict on each context, in their order")
    questions: list[str] | None = Field(default=None, description="questions asked back from the answer")


class CaseResult(Result):
    """One case of a rag suite with its score for each metric."""

    id: str
    verdict: Verdict | None
    text: str | None = Field(default=None, description="digest of what the case asks and expects, its answer left out")
    question: str
    answer: str
    scores: dict[str, CaseScore] = Field(description="metric: score")


class JudgeInfo(Result):
    """Who judged, as configured and as its server said."""

    name: str
    type: str
    model: str | None
    reported: list[str] = Field(default_factory=list, description="names of models as the server gave them")
    family: str | None = None
    embedded: bool = False
    dropped: list[str] = Field(default_factory=list, description="parameters that the server refused")
    role: Literal["judge", "panel"]


class SuiteResult(Result):
    """One suite: what it was about, its rules, its verdict."""

    name: str
    kind: Literal["swap", "fairness", "rag"]
    verdict: Verdict
    system: str | None = None
    assumption: str | None = Field(default=None, description="what the intervals take for granted")
    error: str | None = Field(default=None, description="fairness: how likely a wrong verdict of the suite is at most")
    counts: Counts
    rules: list[RuleResult]
    warnings: list[Remark] = Field(default_factory=list)
    calibration: list[CalibrationGroup] | None = None
    flips: Flips | None = None
    selection: list[Selection] | None = None
    refusals: list[Selection] | None = Field(
        default=None, description="swap: refusal rates of the groups; null where it is not declared what a refusal is"
    )
    score_gaps: list[ScoreGap] | None = Field(
        default=None, description="swap: differences of mean scores; null without scores whose range is declared"
    )
    outcomes: Outcomes | None = Field(default=None, description="swap: every outcome; null beyond 20,000 base cases")
    examples: list[FlipExample] | None = None
    cases: list[CaseResult] | None = None
    judges: list[JudgeInfo] | None = None
    skipped: Literal["missing_secret"] | None = Field(
        default=None, description="nothing was asked, and the workflow does not let that fail the job; never a PASS"
    )
    band: float | None = Field(default=None, description="rag: scores this near to their limit are borderline")
    fingerprint: str | None = Field(default=None, description="sha256 over inputs: what a sign-off of the suite names")
    inputs: dict[str, str] = Field(default_factory=dict, description="what the suite rests on: part to its sha256")


class Finding(Result):
    """What ``fairgate validate`` has to say about one place of the configuration."""

    severity: Literal["error", "remark"]
    where: tuple[str | int, ...] = Field(description="path of keys in the file, e.g. ('swap', 0, 'rules', 1)")
    message: str


Asked = Literal["system", "judge", "panel", "embeddings"]


class Calls(Result):
    """Calls of one suite to somebody; retries and repairs come on top.

    :param least: when no score is borderline and every question that has no answer is declined
    :param most: when every score is put to the panel and every answer claims something
    """

    suite: str
    kind: Asked
    name: str
    least: int
    most: int
