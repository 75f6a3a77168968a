"""A configuration checked as it will be run: without a profile and under each of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from fairgate.config.project import Project
from fairgate.gate import validate
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
