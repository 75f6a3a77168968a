"""A rag suite from its golden file to its result: answers, judges in rounds, and then one pure judgement."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.triad import RagSuite
from fairgate.golden.ids import digest, escaped
from fairgate.golden.rag import Sample, read_samples
from fairgate.golden.tags import in_scope
from fairgate.models.embeddings import Embedder
from fairgate.models.pool import ask_all, ask_together
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.models.watch import Watch
from fairgate.results import Calls, Finding, Remark, SuiteResult
from fairgate.triad import relevance
from fairgate.triad.asking import expected_keys, first_round, panel_round, second_round, task_fields
from fairgate.triad.cases import Judges, case_results, counts, judge_infos
from fairgate.triad.checks import findings
from fairgate.triad.evidence import NOT_ASKED, Answer, Evidence, Key, metrics_of
from fairgate.triad.plan import calls
from fairgate.triad.rules import judge_rule
from fairgate.triad.scores import to_arbitrate
from fairgate.verdict import worst
from fairgate.wording import sentence
from fairgate.wording.dropped import dropped_parameters
from fairgate.world import World

Systems = Mapping[str, System]


@dataclass(frozen=True)
class RagRun:
    """A judged rag suite and what it rests on.

    :param evidence: one JSON object for every answer and every judgement that was expected
    :param answers: every call that was made, or why it was not; what an embedded judge says is no call
    """

    result: SuiteResult
    evidence: list[dict[str, Any]]
    answers: list[Answer]


def judge_rag(  # noqa: PLR0913, PLR0917 - the seam: what to judge, how sure to be, whom to ask
    suite: RagSuite,
    project: Project,
    where: Where,
    confidence: float,
    systems: Systems,
    judges: Judges,
    embedder: Embedder | None,
    world: World,
    watch: Watch,
) -> RagRun:
    """Ask for the answers, have them judged, and judge the suite.

    :param where: the suite's place in the configuration
    :param confidence: 1 − α
    :param systems: by name; the one that the suite names is asked
    :param judges: by name; at least those that the suite names
    :param embedder: for ``answer_relevance``
    :param watch: told when a round of asking begins, and of every answer as it comes
    :raises FairgateError: for everything that can be known to be wrong before the first call
    """
    evidence = Evidence(suite, read(suite, project, where))
    asking = Asking(judges, embedder, world, watch)
    if suite.system is not None:
        evidence = replace(evidence, answers=asking.answers(evidence, systems[suite.system]))
    evidence = asking.judged(evidence)
    embedded = {name for name in suite.judge_names if judges[name].describe().get("embedded")}
    asked = [answer for key, answer in evidence.replies.items() if key.judge not in embedded]
    return RagRun(
        judge(evidence, confidence, judges), list(evidence_lines(evidence)), [*evidence.answers.values(), *asked]
    )


def check_rag(
    suite: RagSuite, project: Project, where: Where, confidence: float, embedder: Embedder | None
) -> list[Finding]:
    """What can be said of a suite without calling anything.

    :param embedder: to measure what unrelated questions score, where that takes no call; else None
    :returns: rules that can never PASS, and what a reader of the result should know before
    :raises FairgateError: the golden file cannot be used at all
    """
    samples = read(suite, project, where)
    floor = relevance.floor(embedder, samples) if embedder and "answer_relevance" in suite.metrics else None
    return list(findings(Evidence(suite, samples, floor=floor), project.config, where, confidence))


def questions_of(suite: RagSuite, project: Project, where: Where) -> list[Question]:
    """What the suite's system is asked, in order; nothing when the cases carry their answers. Reads them either way.

    :raises FairgateError: the golden file cannot be used
    """
    samples = read(suite, project, where)
    return [_question(sample) for sample in samples] if suite.system is not None else []


def calls_of(suite: RagSuite, project: Project, where: Where) -> list[Calls]:
    """The calls that the suite would make.

    :raises FairgateError: the golden file cannot be used
    """
    return calls(Evidence(suite, read(suite, project, where)), project.config)


def read(suite: RagSuite, project: Project, where: Where) -> list[Sample]:
    """The cases of a suite that the project's profile is about.

    :raises ConfigError: there is no such file, or no case of it has a tag of the profile
    :raises InputError: naming sample and line
    """
    return in_scope(read_file(suite, project, where), project, suite.cases)


def read_file(suite: RagSuite, project: Project, where: Where) -> list[Sample]:
    """Every case of the golden file.

    :raises ConfigError: there is no such file
    :raises InputError: naming sample and line
    """
    path = project.resolve(suite.cases, (*where, "cases"))
    truth = "context_precision" in suite.metrics
    samples = read_samples(path, suite.fields, answered=suite.system is None, truth=truth)
    return [sample for sample in samples if project.case in (None, sample.id)]


def judge(evidence: Evidence, confidence: float, judges: Judges) -> SuiteResult:
    """Judge every rule of a suite. A pure function of the evidence; judges are only asked who they are."""
    suite = evidence.suite
    told = judge_infos(evidence, judges)
    unvalidated = is_unvalidated([info.embedded for info in told])
    rules = [judge_rule(rule, evidence, confidence, unvalidated=unvalidated) for rule in suite.rules]
    cases = case_results(evidence, judges)
    sampled = any(rule.require != "all" for rule in suite.rules)
    return SuiteResult(
        name=suite.name,
        kind="rag",
        verdict=worst(rule.verdict for rule in rules),
        system=suite.system,
        assumption=sentence("triad_assumption", asked=suite.system is not None) if sampled else None,
        counts=counts(evidence, cases),
        rules=rules,
        warnings=list(_warnings(evidence)),
        cases=cases,
        judges=told,
        band=suite.band,
    )


def is_unvalidated(embedded: Sequence[bool]) -> bool:
    """Whether an embedded judge decides: as the judge, who lists the claims and decides what is clear, or as the
    majority of the panel.

    :param embedded: of the judge, then of the panel
    """
    first, *panel = embedded
    return first or sum(panel) >= 2


def _warnings(evidence: Evidence) -> Iterator[Remark]:
    yield from dropped_parameters(evidence.suite.system, evidence.answers.values())
    if evidence.floor is not None:
        message = sentence("triad_floor", floor=evidence.floor)
        yield Remark(code="relevance_floor", message=message)


# --- asking ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Asking:
    """Puts the rounds to the judges; each round is decided by the evidence of those before it."""

    judges: Judges
    embedder: Embedder | None
    world: World
    watch: Watch

    def answers(self, evidence: Evidence, system: System) -> dict[str, Answer]:
        """The system's answers by case."""
        questions = [_question(sample) for sample in evidence.samples]
        self.watch.start(evidence.suite.name, len(questions))
        replies = ask_all(system, questions, self.world, self.watch.on_answer)
        return {sample.id: replies[question.id] for sample, question in zip(evidence.samples, questions, strict=True)}

    def judged(self, evidence: Evidence) -> Evidence:
        """The evidence with everything in it that the suite asks of its judges."""
        if self.embedder is not None and "answer_relevance" in evidence.suite.metrics:
            evidence = replace(evidence, floor=relevance.floor(self.embedder, evidence.samples))
        evidence = self._round(evidence, first_round(evidence))
        evidence = self._round(evidence, second_round(evidence))
        evidence = replace(evidence, arbitrated=to_arbitrate(evidence))
        return self._round(evidence, panel_round(evidence))

    def _round(self, evidence: Evidence, keys: Iterable[Key]) -> Evidence:
        by_judge: dict[str, list[Key]] = defaultdict(list)
        for key in keys:
            by_judge[key.judge].append(key)
        total = sum(map(len, by_judge.values()))
        if not total:
            return evidence
        self.watch.start(evidence.suite.name, total)
        replies = dict(evidence.replies)
        samples = {sample.id: sample for sample in evidence.samples}
        asked = [
            (self.judges[judge], [Question(key.id, task_fields(key, samples[key.case], evidence)) for key in wanted])
            for judge, wanted in by_judge.items()
        ]
        answers = ask_together(asked, self.world, self.watch.on_answer)
        for wanted, answered in zip(by_judge.values(), answers, strict=True):
            replies |= {key: answered[key.id] for key in wanted}
        return self._embedded(replace(evidence, replies=replies), by_judge)

    def _embedded(self, evidence: Evidence, asked: Mapping[str, Sequence[Key]]) -> Evidence:
        samples = {sample.id: sample for sample in evidence.samples}
        pairs = [(samples[key.case], judge) for judge, keys in asked.items() for key in keys if key.task == "ask_back"]
        if self.embedder is None or not pairs:
            return evidence
        return replace(evidence, cosines={**evidence.cosines, **relevance.measure(self.embedder, evidence, pairs)})


def _question(sample: Sample) -> Question:
    return Question(f"{escaped(sample.id)}#{digest(sample.fields)}", sample.fields)


# --- evidence --------------------------------------------------------------------------------------------------------


def evidence_lines(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """One JSON object for every expected answer and judgement. ``id``, ``answer`` and ``contexts`` make the former
    answers of a recorded system."""
    for sample in evidence.samples if evidence.suite.system is not None else ():
        answer = evidence.answers.get(sample.id, NOT_ASKED)
        contexts = list(answer.contexts) if isinstance(answer, Reply) and answer.contexts is not None else None
        yield _line(_question(sample).id, sample.id, answer) | {"contexts": contexts}
    for key in expected_keys(evidence.suite, evidence):
        line = _line(key.id, key.case, evidence.replies.get(key, NOT_ASKED))
        line |= {"metrics": metrics_of(key.task, evidence.suite), "task": key.task, "judge": key.judge}
        cosines = evidence.cosines.get((key.case, key.judge))
        if key.task == "ask_back" and cosines is not None:
            line |= _embedding(cosines, line["reason"])
        yield line


def _line(id: str, case: str, answer: Answer) -> dict[str, Any]:
    if isinstance(answer, Missing):
        return {"id": id, "case": case, "answer": None, "reason": answer.reason, "detail": answer.detail}
    return {"id": id, "case": case, "answer": answer.text, "reason": None, "model": answer.model}


def _embedding(cosines: tuple[float, ...] | Missing, reason: str | None) -> dict[str, Any]:
    if isinstance(cosines, Missing):
        return {"cosines": None, "reason": reason or cosines.reason}
    return {"cosines": list(cosines)}
