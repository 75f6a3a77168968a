"""From evidence to the score of each case: whether there is anything to score, what a judge's verdicts come to."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from fairgate.config.triad import Metric, TriadRule
from fairgate.golden.rag import Sample
from fairgate.models.protocol import Missing
from fairgate.results import Interval
from fairgate.triad.evidence import OF_ANSWERS, TASKS, Evidence, Verdicts
from fairgate.triad.formulas import answer_relevance, context_precision, faithfulness
from fairgate.triad.panel import UNKNOWN, Settled, clear_of_band, is_pivotal, kept, settle
from fairgate.triad.quotes import quote_found
from fairgate.verdict import Verdict


class Standing(Enum):
    """Whether an answer can be scored at all. Hiding evidence moves any of them to UNKNOWN, and nowhere else."""

    SCOREABLE = "scoreable"
    RIGHT = "right"
    """It abstains, and that is the right answer: 1 without asking further."""
    IDLE = "idle"
    """There is nothing to score: left out up to ``min_coverage``, counted and shown."""
    UNKNOWN = "unknown"
    """What would tell is missing."""


@dataclass(frozen=True)
class Stand:
    """The standing of a case for a metric, and why."""

    standing: Standing
    reason: str | None = None
    detail: str | None = None


@dataclass(frozen=True)
class Score:
    """What one judge's verdicts on a case come to.

    :param interval: over every completion of its missing verdicts; None when nothing came
    :param missing: why not; None when something came
    :param verdicts: on claims or contexts; for claims a vote counts as supported only with a quote that was found
    :param found: for claims: whether each quote is in the contexts
    """

    judge: str
    interval: Interval | None
    missing: Missing | None = None
    verdicts: Verdicts | None = None
    found: tuple[bool, ...] = ()

    @property
    def value(self) -> float | None:
        """The score when no missing verdict leaves it open."""
        return self.interval[0] if self.interval and self.interval[0] == self.interval[1] else None

    @property
    def reason(self) -> str | None:
        """Why there is no single value."""
        if self.missing is not None:
            return self.missing.reason
        return None if self.value is not None else "missing_verdicts"


@dataclass(frozen=True)
class Decision:
    """What a rule's limit makes of one case.

    :param settled: what the panel came to; None where it was not asked
    """

    verdict: Verdict
    interval: Interval
    reason: str | None = None
    settled: Settled | None = None


def applies(metric: Metric, sample: Sample) -> bool:
    """Whether a metric is expected of a case, fixed before anything is asked: where "I don't know" is the right answer,
    no context can be the one that leads to it."""
    return metric != "context_precision" or not sample.abstain


def expected_of(metric: Metric, evidence: Evidence) -> list[Sample]:
    """The cases that a metric is expected of."""
    return [sample for sample in evidence.samples if applies(metric, sample)]


def stand(metric: Metric, sample: Sample, evidence: Evidence) -> Stand:
    """Whether a case can be scored: an answer has to be there, and to claim something."""
    given = evidence.given(sample)
    if isinstance(given, Missing):
        return _unknown(given)
    if metric not in OF_ANSWERS:
        return Stand(Standing.SCOREABLE)
    if not given.text.strip():
        return Stand(Standing.IDLE, "empty_answer")
    claims = evidence.claims(sample)
    if isinstance(claims, Missing):
        return _unknown(claims)
    if claims:
        return Stand(Standing.SCOREABLE)
    return Stand(Standing.RIGHT, "abstained") if sample.abstain else Stand(Standing.IDLE, "no_claims")


def _unknown(missing: Missing) -> Stand:
    return Stand(Standing.UNKNOWN, missing.reason, missing.detail)


def score(metric: Metric, sample: Sample, judge: str, evidence: Evidence) -> Score:
    """One judge's score of a case that can be scored."""
    if metric == "answer_relevance":
        return _relevance(sample, judge, evidence)
    contexts = evidence.contexts(sample)
    entries = evidence.claims(sample) if metric == "faithfulness" else contexts
    if isinstance(contexts, Missing) or isinstance(entries, Missing):
        return Score(judge, None, next(one for one in (contexts, entries) if isinstance(one, Missing)))
    verdicts = evidence.verdicts(sample, TASKS[metric], judge, len(entries))
    if isinstance(verdicts, Missing):
        return Score(judge, None, verdicts)
    if metric == "context_precision":
        return Score(judge, context_precision(verdicts.votes), None, verdicts)
    found = tuple(quote_found(quote, contexts) for quote in verdicts.quotes)
    votes = tuple(vote and there for vote, there in zip(verdicts.votes, found, strict=True))
    return Score(judge, faithfulness(votes), None, Verdicts(votes, verdicts.quotes), found)


def _relevance(sample: Sample, judge: str, evidence: Evidence) -> Score:
    asked = evidence.questions(sample, judge)
    cosines = evidence.cosines.get((sample.id, judge), Missing("not_asked", "nothing was embedded", asked=False))
    missing = next((one for one in (asked, cosines) if isinstance(one, Missing)), None)
    if missing is not None or isinstance(cosines, Missing):
        return Score(judge, None, missing)
    value = answer_relevance(cosines)
    return Score(judge, (value, value))


# --- decisions -------------------------------------------------------------------------------------------------------


def decide(rule: TriadRule, sample: Sample, evidence: Evidence) -> Decision | None:
    """What a rule's limit makes of a case; None where there is nothing to score."""
    standing = stand(rule.metric, sample, evidence)
    if standing.standing is Standing.IDLE:
        return None
    if standing.standing is Standing.RIGHT:
        return Decision(Verdict.PASS, (1.0, 1.0), standing.reason)
    if standing.standing is Standing.UNKNOWN:
        return Decision(Verdict.INSUFFICIENT_EVIDENCE, UNKNOWN, standing.reason)
    if (rule.id, sample.id) in evidence.arbitrated:
        settled = settle([one.interval for one in panel_scores(rule.metric, sample, evidence)], rule.min)
        return Decision(settled.verdict, settled.interval, settled.reason, settled)
    own = score(rule.metric, sample, evidence.suite.judge, evidence)
    if own.interval is None:
        return Decision(Verdict.INSUFFICIENT_EVIDENCE, UNKNOWN, own.reason)
    if evidence.suite.panel:
        # Whatever touched the band was put to the panel; what touches it now was clear of it before evidence was lost.
        verdict = clear_of_band(own.interval, rule.min, evidence.suite.band)
    else:
        verdict = kept(own.interval, rule.min)
    return Decision(verdict, own.interval, own.reason)


def panel_scores(metric: Metric, sample: Sample, evidence: Evidence) -> list[Score]:
    """The scores of the panel's judges, in its order."""
    return [score(metric, sample, judge, evidence) for judge in evidence.suite.panel or []]


def to_arbitrate(evidence: Evidence) -> frozenset[tuple[str, str]]:
    """(rule id, case) of everything borderline: what the panel is to be asked. Empty without a panel."""
    if not evidence.suite.panel:
        return frozenset()
    return frozenset((rule.id, case) for rule in evidence.suite.rules for case in _borderline(rule, evidence))


def _borderline(rule: TriadRule, evidence: Evidence) -> Iterator[str]:
    """Single cases near the limit; for a mean near the limit all of them."""
    askable = [sample for sample in expected_of(rule.metric, evidence) if is_askable(rule.metric, sample, evidence)]
    if evidence.suite.arbitrate == "always":
        yield from (sample.id for sample in askable)
        return
    if rule.require == "mean":
        if clear_of_band(mean_range(rule, evidence), rule.min, evidence.suite.band) is Verdict.INSUFFICIENT_EVIDENCE:
            yield from (sample.id for sample in askable)
        return
    for sample in askable:
        own = score(rule.metric, sample, evidence.suite.judge, evidence)
        clear = clear_of_band(own.interval or UNKNOWN, rule.min, evidence.suite.band)
        if clear is Verdict.INSUFFICIENT_EVIDENCE or _pivotal(rule, own, evidence):
            yield sample.id


def is_askable(metric: Metric, sample: Sample, evidence: Evidence) -> bool:
    """Whether there is something to put before a judge."""
    if not applies(metric, sample) or stand(metric, sample, evidence).standing is not Standing.SCOREABLE:
        return False
    return metric == "answer_relevance" or not isinstance(evidence.contexts(sample), Missing)


def _pivotal(rule: TriadRule, own: Score, evidence: Evidence) -> bool:
    if evidence.suite.arbitrate != "pivotal" or own.verdicts is None:
        return False
    formula = faithfulness if rule.metric == "faithfulness" else context_precision
    return is_pivotal(own.verdicts.votes, rule.min, formula)


def mean_range(rule: TriadRule, evidence: Evidence) -> Interval:
    """The mean score over the cases with what is missing at 0, and at 1."""
    intervals = [
        found.interval for sample in expected_of(rule.metric, evidence) if (found := decide(rule, sample, evidence))
    ]
    if not intervals:
        return UNKNOWN
    return sum(low for low, _ in intervals) / len(intervals), sum(high for _, high in intervals) / len(intervals)
