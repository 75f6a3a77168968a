"""Tags of golden cases: which of them a profile asks. What is expected is fixed by them, before anything is asked."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from fairgate.config import Project
from fairgate.config.values import nfc
from fairgate.golden.problems import Problems, quoted

TAGS = "tags"
"""The column; in CSV its names are separated by semicolons."""


class Tagged(Protocol):
    """A case of any kind."""

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags, each once."""


Case = TypeVar("Case", bound=Tagged)


def read_tags(value: Any, id: str, line: int, problems: Problems) -> tuple[str, ...]:
    """The tags of a case, each once, in Unicode form NFC; what is none is noted as a problem.

    :param value: a list of names, or names separated by semicolons; blank or absent: no tag
    """
    names = value.split(";") if isinstance(value, str) else value if isinstance(value, list) else []
    wrong = value is not None and not isinstance(value, str | list)
    if wrong or not all(isinstance(name, str) and (name.strip() or isinstance(value, str)) for name in names):
        found = quoted(str(value))
        problems.add(f"case {quoted(id)}: {TAGS} is {found}, expected a list of names, or mini;core", line)
        return ()
    return tuple(dict.fromkeys(nfc(name.strip()) for name in names if name.strip()))


def in_scope(cases: Sequence[Case], project: Project, file: str) -> list[Case]:
    """The cases that the project's profile is about: those with any of its tags; all of them where it names none.

    :param file: the golden file as the configuration names it, for the error
    :raises ConfigError: no case has any of the tags
    """
    tags = project.scope.tags
    if not tags:
        return list(cases)
    found = [case for case in cases if not set(tags).isdisjoint(case.tags)]
    if not found:
        known = Counter(tag for case in cases for tag in case.tags)
        listed = ", ".join(f"{tag} ({number})" for tag, number in known.most_common(10)) or "none"
        raise project.error(
            ("profiles", project.scope.profile or "", TAGS),
            f"no case of {file} has the tag {' or '.join(tags)}, so nothing of it would be asked; tags there: {listed}",
        )
    return found
