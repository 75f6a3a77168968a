"""What judges are asked, in three rounds: claims and contexts, then verdicts and questions, then the panel."""

from collections.abc import Iterator
from typing import Any

from fairgate.config.triad import RagSuite
from fairgate.golden.rag import Sample
from fairgate.models.protocol import Missing
from fairgate.triad.evidence import OF_ANSWERS, QUESTIONS, TASKS, Evidence, Key
from fairgate.triad.scores import applies, is_askable


def first_round(evidence: Evidence) -> Iterator[Key]:
    """What needs nothing but the answers: the claims of each, the relevance of its contexts."""
    suite = evidence.suite
    for sample in evidence.samples:
        given = evidence.given(sample)
        if not isinstance(given, Missing) and given.text.strip() and set(suite.metrics) & set(OF_ANSWERS):
            yield Key(sample.id, "list_claims", suite.judge)
    for sample in evidence.samples:
        if "context_precision" in suite.metrics and is_askable("context_precision", sample, evidence):
            yield Key(sample.id, "judge_contexts", suite.judge)


def second_round(evidence: Evidence) -> Iterator[Key]:
    """What needs the claims: which are supported, and which questions they would answer."""
    for metric in (metric for metric in evidence.suite.metrics if metric in OF_ANSWERS):
        for sample in evidence.samples:
            if is_askable(metric, sample, evidence):
                yield Key(sample.id, TASKS[metric], evidence.suite.judge)


def panel_round(evidence: Evidence) -> Iterator[Key]:
    """What the panel is asked of everything borderline; what one of it said before is not asked again."""
    metrics = {rule.id: rule.metric for rule in evidence.suite.rules}
    wanted = dict.fromkeys((case, TASKS[metrics[rule]]) for rule, case in sorted(evidence.arbitrated))
    for judge in evidence.suite.panel or []:
        for case, task in wanted:
            key = Key(case, task, judge)
            if key not in evidence.replies:
                yield key


def task_fields(key: Key, sample: Sample, evidence: Evidence) -> dict[str, Any]:
    """The task as a judge reads it; see ``fairgate.judges.tasks``.

    :raises ValueError: when what the task is about is missing; ``is_askable`` says so before
    """
    given, contexts = evidence.given(sample), evidence.contexts(sample)
    if isinstance(given, Missing):
        raise ValueError(f"{sample.id}: there is no answer to judge")
    match key.task:
        case "list_claims":
            return {"task": key.task, "question": sample.query, "answer": given.text}
        case "ask_back":
            return {"task": key.task, "answer": given.text, "count": QUESTIONS}
        case "check_claims":
            return {"task": key.task, "claims": _known(evidence.claims(sample)), "contexts": _known(contexts)}
        case "judge_contexts":
            truth = {"question": sample.query, "expected": sample.truth or ""}
            return {"task": key.task, **truth, "contexts": _known(contexts)}


def _known(texts: tuple[str, ...] | Missing) -> list[str]:
    if isinstance(texts, Missing):
        raise ValueError(f"nothing to judge: {texts.detail}")
    return list(texts)


def expected_keys(suite: RagSuite, evidence: Evidence) -> Iterator[Key]:
    """Every judgement that was expected: the judge's of every case, before anything was asked, and the panel's."""
    for sample in evidence.samples:
        if set(suite.metrics) & set(OF_ANSWERS):
            yield Key(sample.id, "list_claims", suite.judge)
        for metric in suite.metrics:
            if applies(metric, sample):
                yield Key(sample.id, TASKS[metric], suite.judge)
    metrics = {rule.id: rule.metric for rule in suite.rules}
    for case, task in dict.fromkeys((case, TASKS[metrics[rule]]) for rule, case in sorted(evidence.arbitrated)):
        for judge in suite.panel or []:
            if judge != suite.judge:
                yield Key(case, task, judge)
