"""What became better and worse since a baseline, as ``report.json`` has it."""

from typing import Literal

from pydantic import Field

from fairgate.results import Result

OnMissing = Literal["insufficient", "ignore"]


class BaselineInfo(Result):
    """The report that a run was compared with, or why there was none."""

    source: str = Field(description="where it came from, as people call it")
    commit: str | None = Field(default=None, description="the commit that it judged")
    when: str | None = Field(default=None, description="when it was judged, UTC")
    state: Literal["used", "missing"]
    reason: str | None = Field(default=None, description="missing: a snake_case code")
    message: str | None = Field(default=None, description="missing: one plain sentence")
    on_missing: OnMissing = "insufficient"


class NewFlip(Result):
    """A base case that flips now and did not before: who gets which decision."""

    case: str
    positive: list[dict[str, str]] = Field(description="groups with the positive outcome now")
    negative: list[dict[str, str]]
    refused: list[dict[str, str]] = Field(default_factory=list, description="groups that are refused an answer now")


class FlipChanges(Result):
    """The flips of the base cases that both runs asked in the same words about the same people.

    ``before`` and ``now`` count what was seen; a case stands in ``open`` where a missing outcome leaves it open whether
    it flipped newly.
    """

    pairs: int
    before: int
    now: int
    newly_flipped: list[NewFlip] = Field(default_factory=list)
    newly_settled: list[str] = Field(default_factory=list)
    still_flipped: list[str] = Field(default_factory=list)
    open: list[str] = Field(default_factory=list)
    unknown: list[str] = Field(default_factory=list, description="not known whether it changed, for better or worse")
    asked_again: int = Field(default=0, description="newly flipped cases that were asked once more")
    not_repeated: list[str] = Field(default_factory=list, description="those that did not flip the second time")


class Item(Result):
    """Something that has a verdict: a rule, or one metric of a case."""

    rule: str | None = None
    case: str | None = None
    metric: str | None = None


class VerdictChanges(Result):
    """Rules, and for answers their scores, whose verdict changed while what they demand did not."""

    newly_failing: list[Item] = Field(default_factory=list)
    newly_passing: list[Item] = Field(default_factory=list)
    still_failing: list[Item] = Field(default_factory=list)
    open: list[Item] = Field(default_factory=list, description="not known whether newly failing")
    compared: int = 0


class ScoreChange(Result):
    """The scores of the answers that both runs scored, for one metric."""

    metric: str
    pairs: int
    before: float | None
    now: float | None


class ChangedCase(Result):
    """A case that is not what it was: compared apart."""

    case: str
    what: Literal["text", "people"]
    flipped: bool | None = Field(default=None, description="swap: whether it flips now; null: not known")


class SuiteComparison(Result):
    """One suite beside the same suite of the baseline."""

    suite: str
    kind: Literal["swap", "fairness", "rag"]
    state: Literal["compared", "missing"]
    reason: str | None = Field(default=None, description="missing: a snake_case code")
    message: str | None = Field(default=None, description="missing: one plain sentence")
    flips: FlipChanges | None = None
    verdicts: VerdictChanges | None = None
    scores: list[ScoreChange] = Field(default_factory=list)
    changed: list[ChangedCase] = Field(default_factory=list)
    added: list[str] = Field(default_factory=list)
    removed: list[str] = Field(default_factory=list)
    other_rules: list[str] = Field(default_factory=list, description="rules that are new, or demand something else now")


class Worse(Result):
    """A rule that this change broke."""

    suite: str
    rule: str


class Comparison(Result):
    """The run beside its baseline."""

    suites: list[SuiteComparison]
    worse: list[Worse] = Field(description="rules that fail and did not before, and rules about the change that fail")
