"""One run of the gate, top to bottom: suites in, verdict and report out."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from fairgate import __version__, git
from fairgate.config.model import DecisionsSuite, FairnessSuite, HarnessSuite, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.errors import UsageError
from fairgate.fingerprint import fingerprint
from fairgate.models.build import build_system
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.report import Evidence, Report, Tokens
from fairgate.results import Finding, SuiteResult
from fairgate.swap import harness
from fairgate.swap.decisions import read_decisions
from fairgate.verdict import worst
from fairgate.wording.cannot_tell import cannot_tell
from fairgate.world import World

Answer = Reply | Missing
Systems = Mapping[str, System]
REPORTED_VERSIONS = ("jinja2", "jmespath", "pandas", "pydantic", "pyyaml", "requests", "scipy")


@dataclass(frozen=True)
class Placed:
    """A suite and the place in the file where it stands."""

    suite: SwapSuite | FairnessSuite
    where: Where


@dataclass(frozen=True)
class Judged:
    """One suite, judged, with the evidence it rests on."""

    result: SuiteResult
    evidence: Sequence[Mapping[str, Any]] = ()
    answers: Sequence[Answer] = ()


@dataclass(frozen=True)
class Run:
    """The report, and for each swap suite (by name) one line of evidence for every expected observation."""

    report: Report
    evidence: Mapping[str, Sequence[Mapping[str, Any]]]


def run(project: Project, world: World, *, only: str | None = None, watch: harness.Watch | None = None) -> Run:
    """Judge every suite (or the one named ``only``) and put the report together.

    Everything that can be wrong with the files is found before the first call is made.

    :raises FairgateError: something cannot be read as what it should be; there is no verdict then
    """
    started = world.clock()
    placed = chosen(project, only)
    with ExitStack() as stack:
        systems = build_systems(project, placed, world, stack)
        for item in placed:
            _prepare(item, project, systems)
        decided = {item.where: _judge(item, project) for item in placed if isinstance(item.suite, FairnessSuite)}
        judged = [
            decided.get(item.where) or _ask_and_judge(item, project, systems, world, watch or harness.Nobody())
            for item in placed
        ]
        described = {name: system.describe() for name, system in systems.items()}
        mark = fingerprint(project, systems.values())
    suites = [item.result for item in judged]
    verdict = worst(suite.verdict for suite in suites)
    report = Report(
        verdict=verdict,
        exit_code=verdict.exit_code,
        name=project.config.name,
        suites=suites,
        cannot_tell=cannot_tell(suites),
        evidence=_evidence([answer for item in judged for answer in item.answers], world.clock() - started),
        fingerprint=mark,
        system=described,
        git=git.head(project.root),
        versions=_versions(),
    )
    return Run(report, {item.result.name: item.evidence for item in judged if item.evidence})


def validate(project: Project, world: World) -> list[Finding]:
    """Check the configuration and its files without calling anything.

    :returns: rules that cannot pass and other errors, and remarks, suite by suite
    :raises FairgateError: something cannot be read as what it should be
    """
    placed = chosen(project, None)
    with ExitStack() as stack:
        systems = build_systems(project, placed, world, stack)
        return [finding for item in placed for finding in _check(item, project, systems)]


def chosen(project: Project, only: str | None) -> list[Placed]:
    """The suites of the file with their places, or the one called ``only``.

    :raises UsageError: there is no suite of that name
    """
    config = project.config
    placed = [Placed(suite, ("swap", index)) for index, suite in enumerate(config.swap)]
    placed += [Placed(suite, ("fairness", index)) for index, suite in enumerate(config.fairness)]
    if only is None:
        return placed
    named = [item for item in placed if item.suite.name == only]
    if not named:
        known = ", ".join(item.suite.name for item in placed) or "none"
        raise UsageError(f"--suite {only}: {project.file} has no suite of this name; it has: {known}")
    return named


def questions(project: Project, only: str | None = None) -> list[Question]:
    """Everything that would be asked, in order: what ``fairgate variants`` writes.

    :raises FairgateError: a golden file cannot be used
    """
    return [question for item in chosen(project, only) for question in _questions(item, project)]


def build_systems(project: Project, placed: Iterable[Placed], world: World, stack: ExitStack) -> dict[str, System]:
    """The systems that the suites ask, each built once; ``stack`` closes them."""
    names = dict.fromkeys(item.suite.system for item in placed if isinstance(item.suite, HarnessSuite))
    systems = {}
    for name in names:
        systems[name] = build_system(project.config.systems[name], project, ("systems", name), world)
        stack.callback(systems[name].close)
    return systems


def _questions(item: Placed, project: Project) -> list[Question]:
    if isinstance(item.suite, FairnessSuite):
        return []
    variants = harness.questions(item.suite, project, item.where)
    return [Question(variant.id, variant.fields) for variant in variants]


def _prepare(item: Placed, project: Project, systems: Systems) -> None:
    """Find what is wrong with a swap suite before any suite is asked; decided cases are judged before that anyway."""
    match item.suite:
        case HarnessSuite():
            harness.prepare(item.suite, project, item.where, systems[item.suite.system])
        case DecisionsSuite():
            words = harness.read_words(item.suite.outcome, project, item.where)
            read_decisions(item.suite, words, project, item.where)


def _judge(item: Placed, project: Project) -> Judged:
    from fairgate.parity.suite import judge_fairness  # noqa: PLC0415 - pandas is imported only where it is used

    assert isinstance(item.suite, FairnessSuite)  # noqa: S101 - the caller asked
    return Judged(judge_fairness(item.suite, project, item.where, project.config.confidence))


def _ask_and_judge(item: Placed, project: Project, systems: Systems, world: World, watch: harness.Watch) -> Judged:
    suite = item.suite
    assert not isinstance(suite, FairnessSuite)  # noqa: S101 - the caller asked
    system = systems[suite.system] if isinstance(suite, HarnessSuite) else None
    done = harness.judge_swap(suite, project, item.where, project.config.confidence, system, world, watch)
    return Judged(done.result, done.evidence, list(done.answers.values()))


def _check(item: Placed, project: Project, systems: Systems) -> list[Finding]:
    suite, confidence = item.suite, project.config.confidence
    if isinstance(suite, FairnessSuite):
        from fairgate.parity.suite import check_fairness  # noqa: PLC0415 - pandas is imported only where it is used

        return check_fairness(suite, project, item.where, confidence)
    system = systems[suite.system] if isinstance(suite, HarnessSuite) else None
    return harness.check_swap(suite, project, item.where, confidence, system)


def _evidence(answers: Sequence[Answer], seconds: float) -> Evidence:
    replies = [answer for answer in answers if isinstance(answer, Reply)]
    failed = sum(answer.asked for answer in answers if isinstance(answer, Missing))
    return Evidence(
        calls=len(replies) + failed,
        failed=failed,
        retries=sum(answer.retries for answer in answers),
        seconds=round(seconds, 3),
        tokens=Tokens(
            prompt=_total(reply.usage.prompt_tokens for reply in replies),
            completion=_total(reply.usage.completion_tokens for reply in replies),
        ),
    )


def _total(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _versions() -> dict[str, str]:
    found = {"fairgate": __version__, "python": platform.python_version()}
    for package in REPORTED_VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
