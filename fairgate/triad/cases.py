"""Every case of a rag suite as the report shows it, and the counts and judges beside them."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from fairgate.config.triad import Metric
from fairgate.golden.ids import digest
from fairgate.golden.rag import Sample
from fairgate.models.protocol import Missing, Reply, System
from fairgate.results import CaseResult, CaseScore, Claim, Counts, Interval, JudgeInfo, JudgeScore
from fairgate.triad.evidence import Evidence
from fairgate.triad.panel import medians
from fairgate.triad.scores import Decision, Score, Standing, applies, decide, expected_of, panel_scores, score, stand
from fairgate.verdict import worst

Judges = Mapping[str, System]


def case_results(evidence: Evidence, judges: Judges) -> list[CaseResult]:
    """Every case, in the order of the file."""
    return [_case(sample, evidence, judges) for sample in evidence.samples]


def _case(sample: Sample, evidence: Evidence, judges: Judges) -> CaseResult:
    given = evidence.given(sample)
    scores: dict[str, CaseScore] = {
        metric: case_score(metric, sample, evidence, judges)
        for metric in evidence.suite.metrics
        if applies(metric, sample)
    }
    verdicts = [found.verdict for found in scores.values() if found.verdict is not None]
    return CaseResult(
        id=sample.id,
        verdict=worst(verdicts) if verdicts else None,
        text=digest(_asked(sample, evidence)),
        question=sample.query,
        answer="" if isinstance(given, Missing) else given.text,
        scores=scores,
    )


def _asked(sample: Sample, evidence: Evidence) -> dict[str, Any]:
    """What a case asks and expects. An answer that the case carries, and what was retrieved for it, are what a change
    may make better or worse: they belong to the case only where a system answers."""
    asked = dict(sample.fields) if evidence.suite.system is not None else {"query": sample.query}
    return {"asked": asked, "truth": sample.truth, "abstain": sample.abstain}


def case_score(metric: Metric, sample: Sample, evidence: Evidence, judges: Judges) -> CaseScore:
    """One metric of a case under the strictest reading of its rules."""
    standing = stand(metric, sample, evidence)
    decision = _decision(metric, sample, evidence)
    verdict = decision.verdict if decision else None
    if standing.standing is not Standing.SCOREABLE:
        right = standing.standing is Standing.RIGHT
        interval = (1.0, 1.0) if right else None
        return CaseScore(score=1.0 if right else None, interval=interval, verdict=verdict, reason=standing.reason)
    own = score(metric, sample, evidence.suite.judge, evidence)
    arbitrated = any(
        (rule.id, sample.id) in evidence.arbitrated for rule in evidence.suite.rules if rule.metric == metric
    )
    votes = panel_scores(metric, sample, evidence) if arbitrated else [own]
    interval = medians([one.interval for one in votes]) if arbitrated else own.interval
    questions = evidence.questions(sample, evidence.suite.judge) if metric == "answer_relevance" else None
    return CaseScore(
        score=_single(interval),
        interval=interval,
        verdict=verdict,
        arbitrated=arbitrated,
        majority=decision.settled.majority if decision and decision.settled else None,
        judges=[_judge_score(one, metric, sample, evidence, judges) for one in votes],
        reason=(decision.reason if decision else None) or (None if arbitrated else own.reason),
        claims=_claims(own, votes, sample, evidence) if metric == "faithfulness" else None,
        relevance=_relevance(own, votes) if metric == "context_precision" else None,
        questions=list(questions) if isinstance(questions, tuple) else None,
    )


def _decision(metric: Metric, sample: Sample, evidence: Evidence) -> Decision | None:
    """The worst that a rule with a limit for single cases makes of it; None when no rule has one."""
    rules = [rule for rule in evidence.suite.rules if rule.metric == metric and rule.require != "mean"]
    found = [decision for rule in rules if (decision := decide(rule, sample, evidence))]
    return max(found, key=lambda decision: decision.verdict.severity, default=None)


def _single(interval: Interval | None) -> float | None:
    return interval[0] if interval and interval[0] == interval[1] else None


def _judge_score(one: Score, metric: Metric, sample: Sample, evidence: Evidence, judges: Judges) -> JudgeScore:
    model = judges[one.judge].describe().get("model") if one.judge in judges else None
    return JudgeScore(name=one.judge, model=model, score=one.value, interval=one.interval, reason=one.reason)


def _claims(own: Score, votes: list[Score], sample: Sample, evidence: Evidence) -> list[Claim] | None:
    """The claims with every vote on them; what the majority of those who decide says."""
    texts = evidence.claims(sample)
    if isinstance(texts, Missing):
        return None
    everybody = list({one.judge: one for one in (own, *votes)}.values())
    return [_claim(at, text, everybody, votes) for at, text in enumerate(texts)]


def _claim(at: int, text: str, everybody: list[Score], deciding: list[Score]) -> Claim:
    supported = _majority([_vote(one, at) for one in deciding])
    speaker = next((one for one in everybody if _vote(one, at) is supported and _quote(one, at)), None)
    speaker = speaker or next((one for one in everybody if _quote(one, at)), None)
    return Claim(
        claim=text,
        supported=supported,
        evidence_quote=_quote(speaker, at) if speaker else None,
        quote_found=speaker.found[at] if speaker else False,
        votes={one.judge: _vote(one, at) for one in everybody},
    )


def _vote(one: Score, at: int) -> bool | None:
    return one.verdicts.votes[at] if one.verdicts else None


def _quote(one: Score, at: int) -> str | None:
    return (one.verdicts.quotes[at] or None) if one.verdicts else None


def _relevance(own: Score, votes: list[Score]) -> list[bool | None] | None:
    judged = [one for one in votes if one.verdicts]
    if not judged:
        return None
    size = len(judged[0].verdicts.votes) if judged[0].verdicts else 0
    return [_majority([_vote(one, at) for one in votes]) for at in range(size)]


def _majority(votes: list[bool | None]) -> bool | None:
    """What more than half of those asked say; None when neither side has as many."""
    return next((side for side in (True, False) if 2 * votes.count(side) > len(votes)), None)


# --- counts and judges -----------------------------------------------------------------------------------------------


def counts(evidence: Evidence, cases: list[CaseResult]) -> Counts:
    """Scores expected before anything was asked, those that came, and why the others did not.

    What is left is not scoreable: answers without a claim, which the cases show.
    """
    expected = sum(len(expected_of(metric, evidence)) for metric in evidence.suite.metrics)
    scores = [found for case in cases for found in case.scores.values()]
    idle = sum(
        stand(metric, sample, evidence).standing is Standing.IDLE
        for metric in evidence.suite.metrics
        for sample in expected_of(metric, evidence)
    )
    observed = sum(found.score is not None for found in scores)
    reasons = Counter(
        found.reason or "missing_verdicts"
        for found in scores
        if found.score is None and found.reason not in IDLE_REASONS
    )
    return Counts(
        cases=len(evidence.samples),
        expected=expected,
        observed=observed,
        missing=expected - observed - idle,
        missing_reasons=dict(reasons.most_common()),
        details=_details(evidence),
    )


IDLE_REASONS = ("no_claims", "empty_answer")


def _details(evidence: Evidence) -> list[str]:
    """The first sentence of a failed call for each reason."""
    answers = [*evidence.answers.values(), *evidence.replies.values(), *evidence.cosines.values()]
    found: dict[str, str] = {}
    for answer in answers:
        if isinstance(answer, Missing) and answer.reason not in IDLE_REASONS:
            found.setdefault(answer.reason, answer.detail)
    return list(found.values())


def judge_infos(evidence: Evidence, judges: Judges) -> list[JudgeInfo]:
    """Who judged: the judge, then the panel, as configured and as their servers named themselves."""
    suite = evidence.suite
    named = [(suite.judge, "judge"), *((name, "panel") for name in suite.panel or [])]
    return [_info(name, role, evidence, judges[name].describe()) for name, role in named]


def _info(name: str, role: str, evidence: Evidence, told: Mapping[str, Any]) -> JudgeInfo:
    models = [reply.model for key, reply in evidence.replies.items() if key.judge == name and isinstance(reply, Reply)]
    return JudgeInfo.model_validate(
        {
            "name": name,
            "role": role,
            "reported": list(dict.fromkeys(model for model in models if model)),
            **{field: told.get(field) for field in ("type", "model", "family")},
            "embedded": bool(told.get("embedded")),
            "dropped": list(told.get("dropped") or ()),
        }
    )
