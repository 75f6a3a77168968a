"""What the forms pick out of a rag suite: which answers did not pass, for what, and how many of each kind."""

from collections.abc import Iterator
from dataclasses import dataclass

from fairgate.results import CaseResult, CaseScore, Claim, JudgeInfo, RuleResult, SuiteResult
from fairgate.verdict import Verdict

METRICS = ("faithfulness", "context_precision", "answer_relevance")
"""In the order in which they are shown."""

NOT_SCOREABLE = frozenset({"no_claims", "empty_answer"})
"""Reasons for which there is nothing to score: left out up to the suite's coverage, and counted."""

_TOLERANCE = 1e-9
"""The band is closed: .85 − .03 is inside, whatever floats make of it."""

ABSTAINED = "abstained"
"""Reason of a score: to abstain was right here, so a metric that cannot apply is set aside without being missing."""


@dataclass(frozen=True)
class Fault:
    """One metric of a case that did not pass, and the limit that it had to keep (None: no rule names it)."""

    metric: str
    score: CaseScore
    limit: float | None

    @property
    def claims(self) -> list[Claim]:
        """The claims that are not supported, or not judged."""
        return [claim for claim in self.score.claims or [] if claim.supported is not True]


@dataclass(frozen=True)
class OpenCase:
    """A case that did not pass, with what it did not pass for."""

    case: CaseResult
    faults: list[Fault]

    @property
    def severity(self) -> int:
        """The worst of its faults; a score without a verdict counts as a failure of its own, below FAIL."""
        return max((fault.score.verdict or Verdict.MANUAL_REVIEW).severity for fault in self.faults)


@dataclass(frozen=True)
class Tally:
    """How the answers of a suite stand for one metric.

    :param scoreable: answers that have, or ought to have, a score
    :param passed: answers that keep the limit
    :param failed: answers that break it
    :param unjudged: scoreable answers without a score, or whose verdict the evidence leaves open
    :param review: answers that a person has to look at
    :param unsupported: answers with at least one claim that the sources do not support
    :param arbitrated: answers that the panel settled, or tried to
    """

    scoreable: int
    passed: int
    failed: int
    unjudged: int
    review: int
    unsupported: int
    arbitrated: int


def tally(suite: SuiteResult, rule: RuleResult) -> Tally:
    """Count the answers of a suite by how they stand for the metric of a rule."""
    found = [score for case in suite.cases or [] if (score := case.scores.get(rule.metric)) and is_scoreable(score)]
    verdicts = [score.verdict for score in found]
    return Tally(
        scoreable=len(found),
        passed=verdicts.count(Verdict.PASS),
        failed=verdicts.count(Verdict.FAIL),
        unjudged=sum(
            score.verdict == Verdict.INSUFFICIENT_EVIDENCE or (score.verdict is None and score.score is None)
            for score in found
        ),
        review=verdicts.count(Verdict.MANUAL_REVIEW),
        unsupported=sum(any(claim.supported is False for claim in score.claims or []) for score in found),
        arbitrated=sum(score.arbitrated for score in found),
    )


def is_scoreable(score: CaseScore) -> bool:
    """Whether a score exists or ought to: not for an answer that claims nothing, or a metric that cannot apply."""
    return score.score is not None or score.reason not in {*NOT_SCOREABLE, ABSTAINED}


def open_cases(suite: SuiteResult) -> list[OpenCase]:
    """The cases that did not pass, failures first, otherwise in the order of the file."""
    limits = _limits(suite)
    found = [OpenCase(case, faults) for case in suite.cases or [] if (faults := list(_faults(case, limits)))]
    return sorted(found, key=lambda item: -item.severity)


def not_scoreable(suite: SuiteResult) -> dict[str, list[str]]:
    """Why nothing could be scored: the ids of the cases, by reason, each case once."""
    found: dict[str, list[str]] = {}
    for case in suite.cases or []:
        reasons = {score.reason for score in case.scores.values() if score.score is None}
        for reason in sorted(reason for reason in reasons if reason in NOT_SCOREABLE):
            found.setdefault(reason, []).append(case.id)
    return found


def metrics(suite: SuiteResult) -> list[str]:
    """The metrics that some case of the suite was scored for, in their usual order."""
    named = dict.fromkeys(metric for case in suite.cases or [] for metric in case.scores)
    return [*(metric for metric in METRICS if metric in named), *(metric for metric in named if metric not in METRICS)]


def all_embedded(suite: SuiteResult) -> bool:
    """Whether only embedded judges judged: none that understands what it reads."""
    return bool(suite.judges) and all(judge.embedded for judge in suite.judges or [])


def of_role(suite: SuiteResult, role: str) -> list[JudgeInfo]:
    """The judges of one role, in the order of the configuration."""
    return [judge for judge in suite.judges or [] if judge.role == role]


def unsettled(suite: SuiteResult) -> list[str]:
    """The cases with a score inside the band around its limit that one judge alone decided, as there is no panel."""
    if suite.band is None or of_role(suite, "panel"):
        return []
    limits, reach = _limits(suite), suite.band + _TOLERANCE
    return [
        case.id
        for case in suite.cases or []
        if any(
            score.score is not None and metric in limits and abs(score.score - limits[metric]) <= reach
            for metric, score in case.scores.items()
            if score.reason != ABSTAINED
        )
    ]


def dropped(suite: SuiteResult) -> list[JudgeInfo]:
    """The judges that could not be asked with all their parameters, each once."""
    return list({judge.name: judge for judge in suite.judges or [] if judge.dropped}.values())


def _limits(suite: SuiteResult) -> dict[str, float]:
    """The strictest limit of each metric."""
    found: dict[str, float] = {}
    for rule in suite.rules:
        found[rule.metric] = max(rule.limit, found.get(rule.metric, rule.limit))
    return found


def _faults(case: CaseResult, limits: dict[str, float]) -> Iterator[Fault]:
    for metric in sorted(case.scores, key=lambda metric: METRICS.index(metric) if metric in METRICS else len(METRICS)):
        score, limit = case.scores[metric], limits.get(metric)
        if is_scoreable(score) and not _passed(score, limit):
            yield Fault(metric, score, limit)


def _passed(score: CaseScore, limit: float | None) -> bool:
    if score.verdict is not None:
        return score.verdict == Verdict.PASS
    # The limit of a mean is nobody's own: what lies below it is still worth showing.
    return score.score is not None and (limit is None or score.score >= limit)
