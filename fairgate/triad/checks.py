"""What can be known of a rag suite before anything is asked: rules that can never pass, and what else to know."""

from collections.abc import Iterator

from fairgate.config.model import ChatSystem, Config, HttpSystem
from fairgate.config.section import Where
from fairgate.config.triad import LexicalJudge, OpenAIEmbeddings, TriadRule, same_family
from fairgate.results import Finding
from fairgate.triad.evidence import Evidence
from fairgate.triad.panel import TOLERANCE
from fairgate.triad.rules import size_problem
from fairgate.triad.scores import expected_of
from fairgate.wording import sentence


def findings(evidence: Evidence, config: Config, where: Where, confidence: float) -> Iterator[Finding]:
    """Rules that can never PASS as errors, what a reader of the result should know as remarks.

    :param evidence: the cases, nothing asked; with the floor where measuring it takes no call
    """
    for number, rule in enumerate(evidence.suite.rules):
        place = (*where, "rules", number)
        for message in _never_passes(rule, evidence, config, 1 - confidence):
            yield Finding(severity="error", where=place, message=f"rule {rule.id}: {message}")
    yield from _remarks(evidence, config, where)


def _never_passes(rule: TriadRule, evidence: Evidence, config: Config, tail: float) -> Iterator[str]:
    suite = evidence.suite
    cases = expected_of(rule.metric, evidence)
    if not cases:
        yield sentence("triad_check", code="no_case", metric=rule.metric)
    elif too_few := size_problem(rule, len(cases), tail):
        yield too_few
    if rule.metric == "answer_relevance":
        if isinstance(config.judges[suite.judge], LexicalJudge):
            yield sentence("triad_check", code="judge_cannot", judge=suite.judge)
        if evidence.floor is not None and rule.min < evidence.floor - TOLERANCE:
            yield sentence("triad_check", code="below_floor", floor=evidence.floor, limit=rule.min)
    elif suite.system is not None and not any(sample.contexts for sample in cases):
        system = config.systems[suite.system]
        if isinstance(system, ChatSystem) or (isinstance(system, HttpSystem) and system.contexts is None):
            yield sentence("triad_check", code="no_contexts", metric=rule.metric, system=suite.system, type=system.type)


def _remarks(evidence: Evidence, config: Config, where: Where) -> Iterator[Finding]:
    suite = evidence.suite
    judge, system = config.judges[suite.judge], config.systems.get(suite.system or "")
    codes = {
        "unvalidated": isinstance(judge, LexicalJudge),
        "same_family": same_family(judge, system.model) if isinstance(system, ChatSystem) else False,
        "floor_in_run": "answer_relevance" in suite.metrics and isinstance(config.embeddings, OpenAIEmbeddings),
    }
    places: dict[str, Where] = {"floor_in_run": ("embeddings",)}
    for code in (code for code, holds in codes.items() if holds):
        message = sentence("triad_check", code=code, judge=suite.judge, system=suite.system)
        yield Finding(severity="remark", where=places.get(code, (*where, "judge")), message=message)
