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
    compared: int | None = Field(
        default=None, description="about a change: cases (no_new_failures: rules and scores) that both runs have"
    )


class Remark(Result):
    """Something a reader has to know that is not a rule: a code and one sentence."""

    code: str
    message: str


class Review(Result):
    """What a suite asks a person for, whatever its rules came to: MANUAL_REVIEW until it is signed off."""

    code: Literal["human_signoff_required", "automatic_decision"]
    message: str = Field(description="why, and the sign-off that settles it")
    signed_off: bool = False


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


class DirectionTest(Result):
    """Whether the decisions that change lean to one of two levels beyond chance: McNemar's exact test, never a rule.

    Every base counts once, for the level that got the positive outcome in more of its pairs of cells that differ in
    this axis alone; one with as many either way leans nowhere.
    """

    axis: str
    favoured: str = Field(description="the level that more bases lean to; the first declared where they are equal")
    over: str
    bases: int = Field(description="bases that lean to favoured")
    reverse: int = Field(description="bases that lean to the other")
    balanced: int = Field(default=0, description="bases in which both were favoured, equally often")
    p: float = Field(description="exact, two-sided")
    mid_p: float
    p_corrected: float = Field(description="by Holm over all tests of the suite")


class Pattern(Result):
    """Who got which answer in so many of the flipped bases, in terms of the fewest axes that tell it.

    Every list holds groups: a level of each axis that matters. A group can stand in several lists where people of the
    same group got different answers.
    """

    positive: list[dict[str, str]] = Field(default_factory=list)
    negative: list[dict[str, str]] = Field(default_factory=list)
    refusal: list[dict[str, str]] = Field(default_factory=list)
    incomplete: bool = Field(default=False, description="outcomes are missing: what was observed of the base")
    bases: int
    of: int = Field(description="all flipped bases")


class Words(Result):
    """What the client calls the two outcomes: the first declared word of each."""

    positive: str
    negative: str


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


class Control(Result):
    """Identical calls (A/A): one variant of every base asked again with nothing swapped, its number of pairs that
    disagree beside that of different people. Bounds are one-sided."""

    repeats: int = Field(description="how often the variant was asked again")
    bases: int
    asked: int = Field(description="repeats expected: bases x repeats")
    answered: int
    differed: int = Field(description="bases in which identical calls disagreed")
    noise: float | None = Field(description="share of pairs of identical calls that disagree; null when none is known")
    noise_interval: Interval
    excess: float | None = Field(
        description="share of pairs of different people that disagree, less the noise; may be below 0 by chance"
    )
    excess_interval: Interval
    method: Literal["exact_paired", "mixture_bound"]


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
    tests: list[DirectionTest] = Field(default_factory=list, description="pairs of levels with any direction")
    patterns: list[Pattern] = Field(default_factory=list, description="the most frequent ones, at most five")
    other_patterns: int = Field(default=0, description="flipped bases of any other pattern")
    words: Words | None = Field(default=None, description="null: outcomes are not declared as words")
    refused: list[RefusedDirection] = Field(
        default_factory=list, description="who was refused an answer where who got a decision"
    )
    responds: list[PositiveControl] = Field(default_factory=list)
    control: Control | None = Field(default=None, description="null where nothing was asked again")


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
    redacted: bool = Field(default=False, description="the values are not shown: see redact")


class FlipExample(Result):
    """One flip that a person can read: what differed, what each got.

    ``positive`` is who got the better answer: positive before negative before a refusal.
    """

    case: str
    axes: list[str] = Field(description="the axes in which the two people differ")
    differs: list[Difference]
    positive: Side
    negative: Side


class Carrier(Result):
    """A field of a case that can carry what an axis swaps, or may carry something of a person."""

    field: str
    axis: str | None = Field(default=None, description="may_carry: null, since nobody said of which")
    how: Literal["swapped", "filled", "declared", "predicts", "may_carry"]
    kind: str | None = Field(default=None, description="may_carry: what its name or its values look like")
    cases: int | None = Field(default=None, description="whose own level is known; null: not measured")
    right: float | None = Field(default=None, description="share of them whose own level the field tells")
    without: float | None = Field(default=None, description="the same without the field: the most frequent level")
    p: float | None = Field(default=None, description="permutation test, by Holm over all fields and axes")
    needed: bool = Field(default=False, description="declared as needed by the decision")
    why: str | None = Field(default=None, description="why it is needed, as declared")


class ProxyMeasure(Result):
    """Whether it could be measured which fields tell the level of an axis that the cases have of their own."""

    axis: str
    cases: int
    known: int = Field(description="cases with a level of their own in a field that the axis fills")
    levels: dict[str, int] = Field(description="level: how many of them")
    used: int = Field(description="cases that were measured; 0: too few, or all of one level")
    fields: int = Field(description="fields that were measured")


class Proxies(Result):
    """The fields that carry, or may carry, what is swapped."""

    fields: list[Carrier]
    measured: list[ProxyMeasure]


class ArmAxis(Result):
    """One axis in one row of the mitigation table."""

    axis: str
    flipped: int = Field(description="bases in which two people who differ in this axis alone got different answers")
    gap: float | None = Field(
        description="largest difference of two levels' selection rates; null: a rate is not known"
    )
    between: tuple[str, str] | None = Field(default=None, description="the level selected most, the one least")


class Beside(Result):
    """A mitigation beside the suite as it is, on the same bases: paired, so that the cases cancel out."""

    pairs: int = Field(description="all expected bases")
    fewer: int = Field(description="flip as it is and not here")
    more: int = Field(description="flip here and not as it is")
    both: int
    open: int = Field(description="an outcome is missing that could make the base flip")
    difference: float | None = Field(description="of the flip rates, here minus as it is, over pairs that are known")
    interval: Interval = Field(description="exact paired bounds of the difference, open pairs at their worst")
    p: float = Field(description="McNemar's exact test, two-sided, open pairs at their worst")
    p_adjusted: float = Field(default=1.0, description="by Holm over the mitigations of the suite")
    lost: int = Field(description="bases in which somebody was selected as it is and is not here")
    gained: int = Field(description="bases in which somebody is selected here and was not as it is")


class Arm(Result):
    """One row of the mitigation table: the suite as it is, or something that was tried. It decides nothing."""

    name: str
    system: str
    mask: dict[str, str] = Field(default_factory=dict, description="masked field: the text in its place")
    counts: Counts
    complete: int
    flipped: int
    rate: float | None
    interval: Interval
    selected: int = Field(description="positive outcomes")
    selection_rate: float | None = Field(description="selected / observed; null when nothing was observed")
    axes: list[ArmAxis]
    unseen: list[str] = Field(
        default_factory=list, description="axes of which nothing is left in what is asked: what flips there is noise"
    )
    beside: Beside | None = Field(default=None, description="null: the suite as it is")


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
    decides: Literal["human", "automatic"] | None = Field(default=None, description="who decides; null: nobody said")
    high_stakes: bool = False
    reviews: list[Review] = Field(default_factory=list, description="of the suite as a whole, beside its rules")
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
    proxies: Proxies | None = Field(default=None, description="swap: fields that can carry what is swapped")
    mitigations: list[Arm] | None = Field(default=None, description="what was tried; the first is the suite as it is")
    suggestion: str | None = Field(default=None, description="swap, where flips or a gap fail: what to try, from facts")
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
