"""A swap suite from its golden file to its result: plan, ask, read, judge."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Any

from fairgate.config.model import ChatSystem, DecisionsSuite, HarnessSuite, Outcome, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.errors import ConfigError
from fairgate.golden.cases import read_cases
from fairgate.golden.ids import digest
from fairgate.golden.problems import Problems
from fairgate.golden.tags import in_scope
from fairgate.models.pool import ask_all
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.models.watch import Watch
from fairgate.results import Finding, SuiteResult
from fairgate.swap.control import cell_asked_again, with_control
from fairgate.swap.decisions import read_decisions
from fairgate.swap.grid import Base, Control, Grid, Observation, Repeats, Response
from fairgate.swap.noise import measure
from fairgate.swap.noise_rule import axis_of, excess_size_problem
from fairgate.swap.outcomes import Unreadable, Vocabulary, read_outcome, vocabulary
from fairgate.swap.rules import size_problem
from fairgate.swap.selection import samples
from fairgate.swap.suite import Evidence, evidence_lines, judge
from fairgate.swap.variants import CasePlan, Variant, plan_cases
from fairgate.wording import sentence
from fairgate.wording.dropped import dropped_parameters
from fairgate.world import World

Answer = Reply | Missing
Answers = Mapping[str, Answer]


UNASKED = Missing("not_asked", "the question was not asked")


@dataclass(frozen=True)
class SwapRun:
    """A judged swap suite and what it rests on.

    :param evidence: one JSON object for every expected observation
    :param answers: what the system answered, or why not, by question id; empty for decisions made elsewhere
    """

    result: SuiteResult
    evidence: list[dict[str, Any]]
    answers: dict[str, Answer]


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
        evidence = replace(
            evidence,
            warnings=tuple(dropped_parameters(suite.system, answers.values())),
            temperature=_temperature(suite, project, answers),
        )
    name = suite.system if isinstance(suite, HarnessSuite) else None
    result = judge(suite.name, suite.rules, evidence, confidence, system=name)
    return SwapRun(result, evidence_lines(evidence), answers)


def prepare(suite: HarnessSuite, project: Project, where: Where, system: System) -> list[CasePlan]:
    """What will be asked, with everything checked that can be known to be wrong before it is.

    :raises FairgateError: the golden file, the outcome words or what the system would be asked cannot be used
    """
    read_words(suite.outcome, project, where)
    plans = plan(suite, project, where)
    alike = [str(project.error(one.where, one.message)) for one in _asked_alike(plans, suite, system, where)]
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
    alike = _asked_alike(plans, suite, system, where) if system is not None else []
    return [
        *alike,
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
    cases = [case for case in in_scope(read_cases(path), project, suite.cases) if project.case in (None, case.id)]
    plans = plan_cases(cases, suite.axes, suite.must_respond_to, Problems(path))
    changing = {variant.change for case in plans for variant in case.changed}
    for number in range(len(suite.must_respond_to)):
        if number not in changing and project.case is None:
            raise project.error(
                (*where, "must_respond_to", number),
                f"every case of {suite.cases} says so already, so nothing would change; choose another value",
            )
    return with_control(plans, suite.name, suite.control)


def bases_expected(suite: SwapSuite, project: Project, where: Where) -> int:
    """How many base cases a suite has.

    :raises FairgateError: its file cannot be used
    """
    if isinstance(suite, DecisionsSuite):
        return len(read_decisions(suite, read_words(suite.outcome, project, where), project, where).grid.bases)
    return len(plan(suite, project, where))


def read_words(outcome: Outcome, project: Project, where: Where) -> Vocabulary:
    """The declared words of a suite.

    :raises ConfigError: a word of which nothing is left, or one that means both outcomes
    """
    try:
        return vocabulary(outcome.positive, outcome.negative)
    except ValueError as error:
        raise project.error((*where, "outcome"), str(error)) from None


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
    return prod(len(levels) for axis, levels in suite.axes.items() if axis not in attribute)


def _variants_found(grid: Grid, attribute: Sequence[str]) -> int:
    return max(sample.variants for sample in samples(grid, attribute))


def _asked_alike(plans: Sequence[CasePlan], suite: HarnessSuite, system: System, where: Where) -> list[Finding]:
    """Axes and changes that change nothing in what the system is asked: they would pass without having tested it.

    A recorded system cannot tell what was asked, and is not found out.
    """
    cases: dict[tuple[str, ...] | int, list[str]] = defaultdict(list)
    for case in plans:
        asked = [_request(system, case, variant) for variant in (*case.grid, *case.changed)]
        for axes in _swaps_unseen(case.grid, asked):
            cases[axes].append(case.case.id)
        for variant, request in zip(case.changed, asked[len(case.grid) :], strict=True):
            if request == asked[0] and variant.change is not None:
                cases[variant.change].append(case.case.id)
    return [_unseen(what, ids, len(plans), suite, where) for what, ids in cases.items()]


def _request(system: System, case: CasePlan, variant: Variant) -> str:
    """What would be asked, as one text; under the case's id, so that ids make no difference."""
    return json.dumps(system.request(Question(case.case.id, variant.fields)), sort_keys=True, default=str)


def _swaps_unseen(grid: Sequence[Variant], asked: Sequence[str]) -> list[tuple[str, ...]]:
    """The axes in which variants that ask the same differ, each set of axes once, the smallest sets only."""
    same: dict[str, list[Variant]] = defaultdict(list)
    for variant, request in zip(grid, asked, strict=False):
        same[request].append(variant)
    apart = {
        tuple(axis for axis in one.group if one.group[axis] != other.group[axis])
        for variants in same.values()
        for one, other in combinations(variants, 2)
    }
    fewest = min(map(len, apart), default=0)
    return sorted(axes for axes in apart if len(axes) == fewest)


def _unseen(what: tuple[str, ...] | int, ids: Sequence[str], cases: int, suite: HarnessSuite, where: Where) -> Finding:
    axes = () if isinstance(what, int) else what
    if isinstance(what, int):
        place: Where = (*where, "must_respond_to", what)
        fields = list(suite.must_respond_to[what])
    else:
        place = (*where, "axes", what[0])
        fields = [name for axis in axes for name in next(iter(suite.axes[axis].values()))[0]]
    message = sentence(
        "swap_asks_alike",
        change=what if isinstance(what, int) else None,
        axes=axes, fields=fields, alike=len(ids), cases=cases, first=ids[0], system=suite.system,
    )  # fmt: skip
    return Finding(severity="error", where=place, message=message)


# --- from answers to evidence ----------------------------------------------------------------------------------------


def answered(plans: Sequence[CasePlan], suite: HarnessSuite, answers: Answers, words: Vocabulary) -> Evidence:
    """Every expected observation with what became of it; a question without an answer is missing."""
    axes = {axis: tuple(levels) for axis, levels in suite.axes.items()}
    bases: list[Base] = []
    pairs: dict[int, list[tuple[Observation, Observation]]] = {n: [] for n in range(len(suite.must_respond_to))}
    repeats: list[Repeats] = []
    for case in plans:
        seen = [_observe(variant, answers.get(variant.id, UNASKED), words) for variant in (*case.grid, *case.changed)]
        cells = tuple((observation,) for observation in seen[: len(case.grid)])
        if case.control:
            again = (_observe(variant, answers.get(variant.id, UNASKED), words) for variant in case.control)
            repeats.append(Repeats(cell_asked_again(case), tuple(again)))
        people = digest({"people": [dict(variant.differs) for variant in case.grid]})
        bases.append(Base(case.case.id, cells, digest(case.case.fields), people))
        for variant, after in zip(case.changed, seen[len(case.grid) :], strict=True):
            if variant.change is not None:
                pairs[variant.change].append((seen[0], after))
    responses = (Response(suite.must_respond_to[number], tuple(found)) for number, found in pairs.items())
    kinds = 2 if getattr(suite.outcome, "refusal", None) is None else 3  # where declared, before any is seen
    control = Control(tuple(repeats), suite.control, kinds) if repeats else None
    return Evidence(Grid(axes, tuple(bases)), tuple(responses), control=control)


def _observe(variant: Variant, answer: Answer, words: Vocabulary) -> Observation:
    outcome: bool | None = None
    reason = detail = text = model = None
    if isinstance(answer, Missing):
        reason, detail = answer.reason, answer.detail
    else:
        text, model = answer.text, answer.model
        read = read_outcome(answer.text, words)
        if isinstance(read, Unreadable):
            reason = read.reason
        else:
            outcome = read == "positive"
    return Observation(
        variant.id, variant.case, variant.group, outcome,
        reason=reason, answer=text, detail=detail, model=model, fields=variant.differs,
    )  # fmt: skip
