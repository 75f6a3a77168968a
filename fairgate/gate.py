"""One run of the gate, top to bottom: suites in, verdict and report out."""

import json
import platform
import re
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Protocol

from fairgate import __version__, git
from fairgate.config.load import Project
from fairgate.config.model import FairnessSuite, HarnessSuite, SwapSuite
from fairgate.errors import UsageError
from fairgate.fingerprint import fingerprint
from fairgate.models.build import build_system
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.report import Evidence, Git, Report, Tokens
from fairgate.results import Finding, SuiteResult
from fairgate.verdict import Verdict, worst
from fairgate.wording.cannot_tell import cannot_tell
from fairgate.world import World

Where = tuple[str | int, ...]
Answer = Reply | Missing
REPORTED_VERSIONS = ("scipy", "pandas", "pydantic", "requests", "jinja2")


class Watch(Protocol):
    """Somebody who looks on: a progress bar, or nobody."""

    def expect(self, calls: int) -> None:
        """So many answers will come."""

    def on_answer(self, question: Question, answer: Answer) -> None:
        """One of them came."""


class Nobody:
    """Nobody looks on."""

    def expect(self, calls: int) -> None:
        """Nothing to prepare."""

    def on_answer(self, question: Question, answer: Answer) -> None:
        """Nothing to show."""


@dataclass(frozen=True)
class Placed:
    """A suite and the place in the file where it stands."""

    suite: SwapSuite | FairnessSuite
    where: Where


@dataclass(frozen=True)
class Run:
    """The report, and for every suite that asked a system one line of evidence for each expected observation."""

    report: Report
    evidence: Mapping[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Judged:
    """One suite, judged."""

    result: SuiteResult
    evidence: list[dict[str, Any]]
    answers: Mapping[str, Answer]


def run(project: Project, world: World, *, only: str | None = None, watch: Watch | None = None) -> Run:
    """Judge every suite (or the one named ``only``) and put the report together.

    Everything that can be wrong with the files is found before the first call is made.

    :raises FairgateError: a file cannot be read as what it should be; there is no verdict then
    """
    watch = watch or Nobody()
    started = world.clock()
    placed = chosen(project, only)
    with ExitStack() as stack:
        systems = build_systems(project, placed, world, stack)
        judged = {id(item): _judge_fairness(item, project) for item in placed if _is_fairness(item)}
        swaps = [item for item in placed if not _is_fairness(item)]
        _expect_calls(swaps, project, systems, watch)
        judged |= {id(item): _judge_swap(item, project, systems, world, watch) for item in swaps}
        described = {name: system.describe() for name, system in systems.items()}
    in_order = [judged[id(item)] for item in placed]
    return Run(
        report=_report(project, [item.result for item in in_order], _evidence(in_order, world.clock() - started), described),
        evidence={item.result.name: item.evidence for item in in_order if item.evidence},
    )


def validate(project: Project, world: World) -> list[Finding]:
    """Check the configuration and its files without calling anything.

    :returns: rules that cannot pass and other errors, and remarks, in the order of the file
    :raises FairgateError: a file cannot be read as what it should be
    """
    from fairgate.swap.harness import check_swap  # noqa: PLC0415 - scipy is imported only where it is used

    placed = chosen(project, None)
    findings: list[Finding] = []
    with ExitStack() as stack:
        systems = build_systems(project, placed, world, stack)
        for item in placed:
            if isinstance(item.suite, FairnessSuite):
                from fairgate.parity.suite import check_fairness  # noqa: PLC0415

                findings += check_fairness(item.suite, project, item.where, project.config.confidence)
            else:
                system = systems.get(item.suite.system) if isinstance(item.suite, HarnessSuite) else None
                findings += check_swap(item.suite, project, item.where, project.config.confidence, system)
    return findings


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
        raise UsageError(f"--suite {only}: {project.file.name} has no suite of this name; it has: {known}")
    return named


def questions(project: Project, only: str | None) -> list[Question]:
    """Everything that the swap suites will ask, in order: what ``fairgate variants`` writes."""
    return [
        question
        for item in chosen(project, only)
        if isinstance(item.suite, HarnessSuite)
        for question in harness.questions(item.suite, project, item.where)
    ]


def build_systems(project: Project, placed: Iterable[Placed], world: World, stack: ExitStack) -> dict[str, System]:
    """The systems that the suites ask, each built once; ``stack`` closes them."""
    names = {item.suite.system: None for item in placed if isinstance(item.suite, HarnessSuite)}
    systems = {name: build_system(project.config.systems[name], project, ("systems", name), world) for name in names}
    for system in systems.values():
        stack.callback(system.close)
    return systems


def write(run: Run, out: Path) -> Path:
    """Write ``report.json``, ``report.md`` and ``evidence/`` below ``out``; returns the path of ``report.json``.

    :raises UsageError: the folder cannot be written
    """
    from fairgate.render.markdown import document  # noqa: PLC0415 - not needed by a run that writes nothing

    try:
        out.mkdir(parents=True, exist_ok=True)
        path = out / "report.json"
        path.write_text(run.report.to_json(), encoding="utf-8")
        (out / "report.md").write_text(document(run.report), encoding="utf-8")
        for name, lines in run.evidence.items():
            _write_evidence(out / "evidence", name, lines)
    except OSError as error:
        raise UsageError(f"{out}: the report cannot be written there: {error.strerror or error}") from error
    return path


def _write_evidence(folder: Path, suite: str, lines: list[dict[str, Any]]) -> None:
    folder.mkdir(exist_ok=True)
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    (folder / f"{file_name(suite)}.jsonl").write_text(text, encoding="utf-8", errors="backslashreplace")


def file_name(suite: str) -> str:
    """A suite's name as the name of a file: letters, digits, dots and dashes, never empty or hidden."""
    return re.sub(r"[^\w.-]+", "-", suite).strip(".-") or "suite"


def _is_fairness(item: Placed) -> bool:
    return isinstance(item.suite, FairnessSuite)


def _judge_fairness(item: Placed, project: Project) -> Judged:
    from fairgate.parity.suite import judge_fairness  # noqa: PLC0415 - pandas is imported only where it is used

    assert isinstance(item.suite, FairnessSuite)  # noqa: S101 - chosen by the caller
    return Judged(judge_fairness(item.suite, project, item.where, project.config.confidence), [], {})


def _expect_calls(swaps: list[Placed], project: Project, systems: Mapping[str, System], watch: Watch) -> None:
    from fairgate.swap.harness import questions  # noqa: PLC0415 - scipy is imported only where it is used

    harnesses = [item for item in swaps if isinstance(item.suite, HarnessSuite)]
    watch.expect(sum(len(questions(item.suite, project, item.where)) for item in harnesses))


def _judge_swap(
    item: Placed, project: Project, systems: Mapping[str, System], world: World, watch: Watch
) -> Judged:
    from fairgate.swap.harness import judge_swap  # noqa: PLC0415 - scipy is imported only where it is used

    assert not isinstance(item.suite, FairnessSuite)  # noqa: S101 - chosen by the caller
    system = systems.get(item.suite.system) if isinstance(item.suite, HarnessSuite) else None
    done = judge_swap(
        item.suite, project, item.where, project.config.confidence, system, world, watch.on_answer
    )
    return Judged(done.result, done.evidence, done.answers)


def _report(
    project: Project, suites: list[SuiteResult], evidence: Evidence, systems: dict[str, dict[str, Any]]
) -> Report:
    verdict: Verdict = worst(suite.verdict for suite in suites)
    return Report(
        verdict=verdict,
        exit_code=verdict.exit_code,
        name=project.config.name,
        suites=suites,
        cannot_tell=cannot_tell(suites),
        evidence=evidence,
        fingerprint=fingerprint(project),
        system=systems,
        git=_git(project),
        versions=_versions(),
    )


def _git(project: Project) -> Git | None:
    return git.head(project.root)


def _versions() -> dict[str, str]:
    found = {"fairgate": __version__, "python": platform.python_version()}
    for package in REPORTED_VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _evidence(judged: Iterable[Judged], seconds: float) -> Evidence:
    answers = [answer for item in judged for answer in item.answers.values()]
    replies = [answer for answer in answers if isinstance(answer, Reply)]
    failed = [answer for answer in answers if isinstance(answer, Missing)]
    return Evidence(
        calls=len(replies) + sum(answer.asked for answer in failed),
        failed=sum(answer.asked for answer in failed),
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
