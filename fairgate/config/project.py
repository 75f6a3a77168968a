"""A configuration and the place it stands in: files relative to it, errors that point into it."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fairgate.config.model import Config, Policy
from fairgate.config.problems import config_error
from fairgate.config.reader import Document, read_document
from fairgate.config.scope import Scope, in_force, misfit
from fairgate.config.section import Section, Where
from fairgate.config.values import shown
from fairgate.errors import ConfigError, UsageError

_Part = TypeVar("_Part", bound=Section)


@dataclass(frozen=True)
class Project:
    """A checked configuration.

    :param config: the typed values in force: what the file says, with a profile put over it
    :param file: the configuration file, as it was named
    :param root: top of the repository; nothing outside of it is read
    :param document: what the file says, with its lines
    :param case: the only case to run; None for all of them
    :param written: the typed values as the file says them, every profile and every rule among them
    :param scope: which part of them is in force; places are of ``config``, lines of ``written``
    """

    config: Config
    file: Path
    root: Path
    document: Document
    written: Config
    scope: Scope = field(default_factory=Scope)
    case: str | None = None

    def place(self, where: Where) -> str:
        """``file:line`` of a place; of its nearest parent when the place itself is not written."""
        return f"{self.file}:{self.document.locate(self.scope.origin(where))[0]}"

    def error(self, where: Where, message: str) -> ConfigError:
        """An error at a place: ``file:line: swap[0].cases: message``."""
        return ConfigError(self.document.problem(self.scope.origin(where), message)[1])

    def resolve(self, text: str, where: Where) -> Path:
        """The file that ``text`` names, relative to the configuration, symbolic links followed.

        :param where: the place that names it, for the error
        :raises ConfigError: when it is outside of the repository, does not exist or is a folder
        """
        try:
            path = (self.file.parent / text).resolve()
            inside = path.is_relative_to(self.root)
            exists, is_folder = inside and path.exists(), inside and path.is_dir()
        except (OSError, ValueError, RuntimeError) as error:
            # A NUL in the name, a name too long, a loop of symbolic links.
            raise self.error(where, f"found {shown(text)}, which cannot be a file: {error}") from None
        if not inside:
            raise self.error(where, f"found {shown(text)}, which leaves the repository; files have to lie inside it")
        if is_folder:
            raise self.error(where, f"found the folder {shown(text)}, expected a file")
        if exists and not path.is_file():
            raise self.error(where, f"found {shown(text)}, which is no regular file (a pipe or a device)")
        if not exists:
            hint = f"{_near(path)}; paths are relative to {self.file.name}"
            raise self.error(where, f"there is no file {shown(text)}{hint}")
        return path


def load(path: Path, profile: str | None = None) -> Project:
    """Read and check a ``fairgate.yaml`` (or a file with only one of its parts), and put a profile over it.

    :param profile: a name under ``profiles``; None leaves out the rules that are limited to profiles
    :raises ConfigError: with every problem that was found, a line each
    :raises UsageError: the file has no such profile
    """
    return with_profile(_read(path), profile)


def load_each(path: Path) -> Iterator[Project]:
    """The project as it is run without a profile, unless nothing is, and under each of its profiles.

    :raises ConfigError: with every problem that was found, a line each
    """
    project = _read(path)
    without = in_force(project.written, None)
    if not project.written.profiles or misfit(*without) is None:
        yield with_profile(project, None)
    for name in project.written.profiles:
        yield with_profile(project, name)


def with_profile(project: Project, name: str | None) -> Project:
    """The project under one of its profiles, or under none, whatever it was under before.

    :raises ConfigError: nothing would be judged under it, or nobody is there to judge
    :raises UsageError: the file has no such profile
    """
    if name is not None and name not in project.written.profiles:
        known = ", ".join(project.written.profiles) or "none"
        raise UsageError(f"profile {shown(name)}: {project.file} has no profile of this name; it has: {known}")
    config, scope = in_force(project.written, name)
    found = replace(project, config=config, scope=scope)
    if problem := misfit(config, scope):
        raise found.error(*problem)
    return found


def _read(path: Path) -> Project:
    document = read_document(path)
    config = _checked(document, Config)
    return Project(config, path, _repository(path), document, config)


def with_policy(project: Project, policy: Path) -> Project:
    """The project under a ``release.yaml``: its ``confidence_level`` wins over ``confidence``.

    :raises ConfigError: with every problem of the policy file
    """
    level = _checked(read_document(policy), Policy).confidence_level
    if level is None:
        return project
    return replace(project, config=project.config.model_copy(update={"confidence": level}))


def read_part(path: Path, part: type[_Part]) -> _Part:
    """Read a file of its own that holds one part, in the same way and with the same errors as a configuration.

    :raises ConfigError: with every problem that was found, a line each
    """
    return _checked(read_document(path, " or ".join(sorted(part.model_fields))), part)


def _checked(document: Document, part: type[_Part]) -> _Part:
    readers: dict[int, Any] = {}
    try:
        return part.model_validate(document.data, context=readers)
    except ValidationError as error:
        raise config_error(document, error, readers) from None


def _repository(path: Path) -> Path:
    """The git top level above the file, else the file's own folder."""
    folder = path.resolve().parent
    return next((top for top in (folder, *folder.parents) if (top / ".git").exists()), folder)


def _near(path: Path) -> str:
    """A hint to a file beside the one that does not exist."""
    if not path.parent.is_dir():
        return ""
    names = [entry.name for entry in path.parent.iterdir()]
    near = difflib.get_close_matches(path.name, names, n=1)
    return f" (there is {shown(near[0])})" if near else ""
