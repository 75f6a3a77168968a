"""A whole suite, and what is said of one before it runs."""

from typing import Literal

from pydantic import Field

from fairgate.results.base import Counts, Remark, Result, Review
from fairgate.results.mitigation import Arm, Proxies
from fairgate.results.parity import CalibrationGroup
from fairgate.results.rule import RuleResult
from fairgate.results.swap import FlipExample, Flips, Outcomes, ScoreGap, Selection
from fairgate.results.triad import CaseResult, JudgeInfo
from fairgate.verdict import Verdict


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
