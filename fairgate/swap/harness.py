"""A swap suite from its golden file to its result: plan, ask, read, judge."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from fairgate.config.model import ChatSystem, DecisionsSuite, HarnessSuite, Outcome, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.values import shown
from fairgate.errors import ConfigError
from fairgate.golden.cases import read_cases
from fairgate.golden.header import nearest
from fairgate.golden.problems import Problems
from fairgate.golden.tags import in_scope
from fairgate.models.pool import ask_all
from fairgate.models.protocol import Question, Reply, System
from fairgate.models.watch import Watch
from fairgate.results import Finding, SuiteResult, Words
from fairgate.swap.answered import Answer, Answers, answered
from fairgate.swap.asked import asked_alike
from fairgate.swap.contexts import context_remarks
from fairgate.swap.control import with_control
from fairgate.swap.decisions import read_decisions
from fairgate.swap.grid import Grid
from fairgate.swap.leaks import leaks
from fairgate.swap.noise import measure
from fairgate.swap.noise_rule import axis_of, excess_size_problem
from fairgate.swap.proxies import check_fields, proxies
from fairgate.swap.reading import OutcomeError, Reader, reader
from fairgate.swap.recorded import recorded_remarks
from fairgate.swap.rules import size_problem
from fairgate.swap.selection import samples
from fairgate.swap.suite import Evidence, evidence_lines, judge
from fairgate.swap.variants import CasePlan, Variant, plan_cases
from fairgate.wording import sentence
from fairgate.wording.dropped import dropped_parameters
from fairgate.world import World


@dataclass(frozen=True)
class SwapRun:
    """A judged swap suite and what it rests on.

    :param evidence: one JSON object for every expected observation
    :param answers: what the system answered, or why not, by question id; empty for decisions made elsewhere
    :param seen: every expected observation and what became of it
    """

    result: SuiteResult
    evidence: list[dict[str, Any]]
    answers: dict[str, Answer]
    seen: Evidence


def judge_swap(  # noqa: PLR0913, PLR0917 - the seam: what to judge, how sure to be, whom to ask
    suite: SwapSuite,
    project: Project,
    where: Where,
    confidence: float,
    system: System | None,
    world: World,
    watch: Watch,
) -> SwapRun:
    """Ask what the suite expects, or read what was decided, and judge it.

    :param where: the suite's place in the configuration
    :param confidence: 1 − α
    :param system: the system under test; None for decisions made elsewhere
    :param watch: told when the asking begins, and of every answer as it comes
    :raises FairgateError: for everything that can be known to be wrong before the first call
    """
    words = read_words(suite.outcome, project, where)
    if isinstance(suite, DecisionsSuite):
        evidence, answers = read_decisions(suite, words, project, where), {}
    elif system is None:
        raise ValueError(f"suite {suite.name} asks a system and was given none")
    else:
        plans = prepare(suite, project, where, system)
        asked = _questions(plans, suite)
        watch.start(suite.name, len(asked))
        answers = ask_all(system, asked, world, watch.on_answer)
        evidence = answered(plans, suite, answers, words)
        warnings = [
            *dropped_parameters(suite.system, answers.values()),
            *(leak for _, leak in leaks(plans, suite.axes, suite.redact)),
        ]
        evidence = replace(evidence, warnings=tuple(warnings), temperature=_temperature(suite, project, answers))
    remarks = [*evidence.warnings, *context_remarks(evidence.grid, words), *recorded_remarks(suite, project, evidence)]
    evidence = replace(evidence, warnings=tuple(remarks))
    name = suite.system if isinstance(suite, HarnessSuite) else None
    result = judge(suite.name, suite.rules, evidence, confidence, system=name, words=_first_words(suite.outcome))
    if isinstance(suite, HarnessSuite):
        listed = proxies(suite, [case.case for case in plans], 1 - confidence)
        packs = f" {sentence('swap_packs', packs=suite.packs)}" if suite.packs else ""
        result = result.model_copy(update={"proxies": listed, "assumption": f"{result.assumption}{packs}"})
    return SwapRun(result, evidence_lines(evidence), answers, evidence)


def prepare(suite: HarnessSuite, project: Project, where: Where, system: System) -> list[CasePlan]:
    """What will be asked, with everything checked that can be known to be wrong before it is.

    :raises FairgateError: the golden file, the outcome words or what the system would be asked cannot be used
    """
    read_words(suite.outcome, project, where)
    plans = plan(suite, project, where)
    check_fields(suite, plans, project, where)
    alike = [str(project.error(one.where, one.message)) for one in asked_alike(plans, suite, system, where)]
    if alike:
        raise ConfigError("\n".join(alike))
    return plans


def check_swap(
    suite: SwapSuite, project: Project, where: Where, confidence: float, system: System | None
) -> list[Finding]:
    """What can be said of a suite without calling anything.

    :param system: the system under test, to compare what the variants ask of it; None to leave that out
    :returns: rules that can never PASS at this size; axes and changes that change nothing in what is asked
    :raises FairgateError: the files or the declared words cannot be used at all
    """
    words = read_words(suite.outcome, project, where)
    if isinstance(suite, DecisionsSuite):
        grid = read_decisions(suite, words, project, where).grid
        return list(
            _too_small(suite, len(grid.bases), lambda attribute: _variants_found(grid, attribute), where, confidence)
        )
    plans = plan(suite, project, where)
    check_fields(suite, plans, project, where)
    alike = asked_alike(plans, suite, system, where) if system is not None else []
    leaking = (
        Finding(severity="remark", where=(*where, "axes", axis), message=leak.message)
        for axis, leak in leaks(plans, suite.axes, suite.redact)
    )
    recorded = (
        Finding(severity="remark", where=(*where, "control"), message=remark.message)
        for remark in recorded_remarks(suite, project)
    )
    return [
        *alike,
        *leaking,
        *recorded,
        *_too_small(suite, len(plans), lambda attribute: _variants_asked(suite, attribute), where, confidence),
        *_too_small_for_noise(suite, answered(plans, suite, {}, words), where, confidence),
    ]


def expected(suite: HarnessSuite, project: Project, where: Where) -> Evidence:
    """Everything that a suite expects, with nothing answered yet.

    :raises FairgateError: the golden file cannot be used
    """
    return answered(plan(suite, project, where), suite, {}, read_words(suite.outcome, project, where))


def size(suite: SwapSuite, project: Project, where: Where) -> tuple[int, Callable[[Sequence[str]], int]]:
    """Expected bases of a suite, and for an attribute or a crossing the outcomes of a group in each base.

    :raises FairgateError: the golden file cannot be used
    """
    if isinstance(suite, DecisionsSuite):
        grid = read_decisions(suite, read_words(suite.outcome, project, where), project, where).grid
        return len(grid.bases), lambda attribute: _variants_found(grid, attribute)
    return len(plan(suite, project, where)), lambda attribute: _variants_asked(suite, attribute)


def questions(suite: SwapSuite, project: Project, where: Where) -> list[Variant]:
    """Everything that the suite would ask, in order; nothing for decisions made elsewhere.

    :raises FairgateError: the golden file cannot be used
    """
    if isinstance(suite, DecisionsSuite):
        return []
    return [variant for case in plan(suite, project, where) for variant in case.variants]


def plan(suite: HarnessSuite, project: Project, where: Where) -> list[CasePlan]:
    """The variants of every case of a suite.

    :raises InputError: the golden file cannot be used
    :raises ConfigError: it is not there, or a ``must_respond_to`` change cannot change anything
    """
    swapped = {name: axis for axis, levels in suite.axes.items() for people in levels.values() for name in people[0]}
    for number, change in enumerate(suite.must_respond_to):
        for name in change:
            if name in swapped:
                raise project.error(
                    (*where, "must_respond_to", number, name),
                    f"the axis {swapped[name]} fills {name!r}; a change that ought to move the decision has to be of "
                    "another field",
                )
    path = project.resolve(suite.cases, (*where, "cases"))
    golden = read_cases(path)
    _check_redact(suite, {*swapped, *(name for case in golden for name in case.fields)}, project, where)
    cases = [case for case in in_scope(golden, project, suite.cases) if project.case in (None, case.id)]
    plans = plan_cases(cases, suite.axes, suite.must_respond_to, Problems(path), suite.design)
    changing = {variant.change for case in plans for variant in case.changed}
    for number in range(len(suite.must_respond_to)):
        if number not in changing and project.case is None:
            raise project.error(
                (*where, "must_respond_to", number),
                f"every case of {suite.cases} says so already, so nothing would change; choose another value",
            )
    return with_control(plans, suite.name, suite.control)


def _check_redact(suite: HarnessSuite, known: set[str], project: Project, where: Where) -> None:
    """A misspelt field would be published.

    :raises ConfigError: a field to redact that neither an axis fills nor any case has
    """
    for number, name in enumerate(suite.redact):
        if name not in known:
            message = (
                f"found {shown(name)}, which no axis fills and no case of {suite.cases} has, so nothing would be "
                f"redacted; the fields are {', '.join(sorted(known))}{nearest(name, sorted(known))}"
            )
            raise project.error((*where, "redact", number), message)


def bases_expected(suite: SwapSuite, project: Project, where: Where) -> int:
    """How many base cases a suite has.

    :raises FairgateError: its file cannot be used
    """
    return size(suite, project, where)[0]


def read_words(outcome: Outcome, project: Project, where: Where) -> Reader:
    """What reads the answers of a suite.

    :raises ConfigError: for words, a pattern or a path that cannot be used
    """
    try:
        return reader(outcome)
    except OutcomeError as error:
        raise project.error((*where, "outcome", *error.where), str(error)) from None


def _first_words(outcome: Outcome) -> Words | None:
    """What the client calls the two outcomes: the first declared word of each, as written; None for scores."""
    if not outcome.positive or not outcome.negative:
        return None
    return Words(positive=outcome.positive[0], negative=outcome.negative[0])


def ask_again(  # noqa: PLR0913, PLR0917 - the seam, as above
    suite: HarnessSuite,
    project: Project,
    where: Where,
    system: System,
    cases: Sequence[str],
    world: World,
    watch: Watch,
) -> tuple[Evidence, dict[str, Answer]]:
    """Ask some base cases of a suite once more, every variant of them, under ids of their own.

    :param cases: ids of base cases
    :returns: what came of it, and the answers by question id
    """
    wanted = frozenset(cases)
    plans = [_repeated(case) for case in plan(suite, project, where) if case.case.id in wanted]
    asked = _questions(plans, suite)
    watch.start(suite.name, len(asked))
    answers = ask_all(system, asked, world, watch.on_answer)
    return answered(plans, suite, answers, read_words(suite.outcome, project, where)), answers


def _repeated(case: CasePlan) -> CasePlan:
    grid = tuple(replace(variant, id=f"{variant.id}|again") for variant in case.grid)
    return replace(case, grid=grid, changed=(), control=(), slots=())


def _questions(plans: Sequence[CasePlan], suite: HarnessSuite) -> list[Question]:
    """What is asked, in order. Identical and different calls are compared with each other, so with a control all of
    them are of this run: what was kept of another day would pass for noise on one side alone."""
    fresh = suite.control > 0
    return [Question(variant.id, variant.fields, fresh) for case in plans for variant in case.variants]


def _temperature(suite: HarnessSuite, project: Project, answers: Answers) -> Any:
    """The temperature that the system was asked with, where the configuration says so; None where it does not, or
    where the server refused it."""
    system = project.config.systems[suite.system]
    if not isinstance(system, ChatSystem):
        return None
    refused = any(isinstance(answer, Reply) and "temperature" in answer.dropped for answer in answers.values())
    return None if refused else system.params.get("temperature")


# --- before the first call -------------------------------------------------------------------------------------------


def _too_small(
    suite: SwapSuite, bases: int, variants: Callable[[Sequence[str]], int], where: Where, confidence: float
) -> Iterator[Finding]:
    for number, rule in enumerate(suite.rules):
        if rule.max_excess_flip_rate is not None:
            continue  # its size is that of the control
        problem = size_problem(rule, bases, variants(rule.attribute or list(suite.axes)), 1 - confidence)
        if problem:
            yield Finding(severity="error", where=(*where, "rules", number), message=f"rule {rule.id}: {problem}")


def _too_small_for_noise(suite: HarnessSuite, expected: Evidence, where: Where, confidence: float) -> Iterator[Finding]:
    for number, rule in enumerate(suite.rules):
        if rule.max_excess_flip_rate is None or expected.control is None:
            continue
        found = measure(expected.grid, expected.control, axis_of(rule)).excess
        problem = excess_size_problem(found, rule.max_excess_flip_rate, 1 - confidence)
        if problem:
            yield Finding(severity="error", where=(*where, "rules", number), message=f"rule {rule.id}: {problem}")


def _variants_asked(suite: HarnessSuite, attribute: Sequence[str]) -> int:
    if suite.design == "one_at_a_time":
        return 1
    return prod(len(levels) for axis, levels in suite.axes.items() if axis not in attribute)


def _variants_found(grid: Grid, attribute: Sequence[str]) -> int:
    return max(sample.variants for sample in samples(grid, attribute))
