"""``.fairgate/signoffs.yaml``: who has looked at what, why it may stand, and until when.

A sign-off names the fingerprint of what was looked at, so it ends by itself as soon as anything else is to be judged.
It is read from the head: the entry is part of the change, and who may approve it is for CODEOWNERS to say.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from fairgate.bar.findings import SignOffState, SignOffUse
from fairgate.config.project import read_part
from fairgate.config.section import Problem, Section
from fairgate.config.values import Filled, Name, plain_text, refused, shown, version_one
from fairgate.errors import ConfigError
from fairgate.wording import sentence

FILE = Path(".fairgate") / "signoffs.yaml"
"""From the top of the repository."""

SHORT = 16
"""Signs of a fingerprint that the report asks for; fewer than ``_FEWEST`` are refused."""

_FEWEST = 12


def _date(value: Any) -> Any:
    if isinstance(value, date):
        return value
    text = plain_text(value)
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refused(f"found {shown(text)}, expected a day such as 2027-03-31") from None


def _mark(value: Any) -> Any:
    text = plain_text(value).strip().lower()
    if not re.fullmatch(rf"[0-9a-f]{{{_FEWEST},64}}", text):
        raise refused(f"found {shown(text)}, expected the fingerprint that the report shows, at least {_FEWEST} signs")
    return text


def _written(text: str) -> str:
    """Text that a person can see: signs that show nothing are nobody's name and no reason."""
    if not any(character.isalnum() for character in text):
        raise refused(f"found {shown(text)}, expected words: somebody is going to ask who that was, and why")
    return text


Written = Annotated[Filled, AfterValidator(_written)]


class SignOff(Section):
    """One entry: what is signed off (a suite, a rule, or what concerns the whole run), by whom, why, until when."""

    run: Name | None = None
    suite: Name | None = None
    rule: Name | None = None
    fingerprint: Annotated[str, BeforeValidator(_mark)]
    who: Written
    reason: Written
    until: Annotated[date, BeforeValidator(_date)]

    def problems(self) -> Iterator[Problem]:
        """One target; a rule may say in which suite it stands."""
        if (self.run is None) == (self.suite is None and self.rule is None):
            yield (), "expected what is signed off: one of run, suite and rule (a rule may name its suite beside it)"

    @property
    def target(self) -> Literal["run", "suite", "rule"]:
        """What is signed off."""
        return "rule" if self.rule is not None else "suite" if self.suite is not None else "run"

    @property
    def name(self) -> str:
        """Its name."""
        return self.rule or self.suite or self.run or ""


class SignOffs(Section):
    """The whole file."""

    version: Annotated[Literal[1], BeforeValidator(version_one)] = 1
    signoffs: list[SignOff] = Field(default_factory=list)


def read(root: Path) -> list[SignOff]:
    """The entries of a repository; none where it has no such file.

    :param root: the top of the repository
    :raises ConfigError: the file is not what it should be; a sign-off that cannot be read is never passed over
    """
    path = root / FILE
    if not path.exists() and not path.is_symlink():
        return []
    if not path.resolve().is_relative_to(root.resolve()):
        raise ConfigError(f"{path}: leads out of the repository; sign-offs have to lie inside it")
    return read_part(path, SignOffs).signoffs


# --- what they hold for ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Marks:
    """The fingerprints of a run, as sign-offs name them.

    :param name: of the configuration
    :param suites: name of the suite to its fingerprint
    :param rules: (suite, rule) of every rule that can be signed off, those that a change removed too
    """

    run: str
    name: str
    suites: Mapping[str, str]
    rules: frozenset[tuple[str, str]]


Target = tuple[str | None, str | None]
"""Suite and rule; (suite, None) is the suite with all its rules, (None, None) what concerns the whole run."""


def target_of(entry: SignOff, marks: Marks) -> Target | None:
    """What an entry is about; None when there is no such suite or rule here, or more than one rule of that name."""
    if entry.rule is not None:
        found = [one for one in marks.rules if one[1] == entry.rule and entry.suite in (None, one[0])]
        return found[0] if len(found) == 1 else None
    if entry.suite is not None:
        return (entry.suite, None) if entry.suite in marks.suites else None
    return (None, None) if entry.run == marks.name else None


def state_of(entry: SignOff, marks: Marks, today: date) -> Literal["valid", "expired", "not_matching"]:
    """Whether an entry holds today for what is judged now. ``until`` is the last day on which it does."""
    target = target_of(entry, marks)
    if target is None:
        return "not_matching"
    mark = marks.run if target[0] is None else marks.suites.get(target[0], "")
    if not mark.startswith(entry.fingerprint):
        return "not_matching"
    return "expired" if today > entry.until else "valid"


def told(entry: SignOff, state: SignOffState, marks: Marks, base: Sequence[SignOff] | None) -> SignOffUse:
    """What became of an entry, for the report.

    :param base: the entries of the base; None where they are not known
    """
    known = target_of(entry, marks) is not None
    return SignOffUse(
        target=entry.target,
        name=entry.name,
        suite=entry.suite,
        fingerprint=entry.fingerprint,
        who=entry.who,
        reason=entry.reason,
        until=entry.until,
        state=state,
        message=sentence("bar_signoff", entry=entry, state=state, known=known),
        added=None if base is None else entry not in base,
    )
