"""A configuration checked as it will be run, without calling anything: without a profile and under each of them."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from fairgate.bar import signoffs
from fairgate.baseline import checks
from fairgate.config.compared import compared_in
from fairgate.config.model import DecisionsSuite, FairnessSuite, HarnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.config.triad import LocalEmbeddings
from fairgate.config.vacuous import limits_that_bind_nothing
from fairgate.parties import Parties, Placed, build_parties, chosen
from fairgate.results import Finding
from fairgate.wording import sentence
from fairgate.world import World


@dataclass(frozen=True)
class Told:
    """One finding as a line for people: ``error: file:line: message``, with the profile where it is of one alone."""

    severity: Literal["error", "remark"]
    text: str


def validate_each(projects: Iterable[Project], world: World) -> list[Told]:
    """What ``fairgate validate`` has to say of a file, each finding once.

    :param projects: the file as it is run, first without a profile (or under the first one), then under the others
    :raises FairgateError: something cannot be read as what it should be
    """
    told: list[Told] = []
    seen: set[tuple[str, str]] = set()
    for project in projects:
        for finding in validate(project, world):
            place = project.place(finding.where)
            if (place, finding.message) not in seen:
                seen.add((place, finding.message))
                told.append(_told(finding, place, project.scope.profile))
    return told


def _told(finding: Finding, place: str, profile: str | None) -> Told:
    text = sentence("validate_finding", finding=finding, place=place, profile=profile)
    return Told(finding.severity, text)


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


def _findings(item: Placed, project: Project, parties: Parties) -> list[Finding]:
    """Everything to be said of a suite, each with its place in the file."""
    suite, where = item.suite, item.where
    found = [checks.as_written(finding, suite, where) for finding in _check(item, project, parties)]
    found += _without_a_bar(item)
    found += checks.without_baseline(suite, where, project.config)
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
    if isinstance(suite, HarnessSuite):
        from fairgate.swap import mitigations  # noqa: PLC0415

        mitigations.prepare(suite, project, item.where, parties.systems)
    return harness.check_swap(suite, project, item.where, confidence, system)
