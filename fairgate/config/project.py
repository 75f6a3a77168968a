"""A configuration and the place it stands in: files relative to it, errors that point into it."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from fairgate.config.model import Config, Policy
from fairgate.config.problems import config_error
from fairgate.config.reader import Document, read_document
from fairgate.config.section import Section, Where
from fairgate.config.values import shown
from fairgate.errors import ConfigError

_Part = TypeVar("_Part", bound=Section)


@dataclass(frozen=True)
class Project:
    """A checked configuration.

    :param config: the typed values
    :param file: the configuration file, as it was named
    :param root: top of the repository; nothing outside of it is read
    :param document: what the file says, with its lines
    :param case: the only case to run; None for all of them
    """

    config: Config
    file: Path
    root: Path
    document: Document
    case: str | None = None

    def place(self, where: Where) -> str:
        """``file:line`` of a place; of its nearest parent when the place itself is not written."""
        return f"{self.file}:{self.document.locate(where)[0]}"

    def error(self, where: Where, message: str) -> ConfigError:
        """An error at a place: ``file:line: swap[0].cases: message``."""
        return ConfigError(self.document.problem(where, message)[1])

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


def load(path: Path) -> Project:
    """Read and check a ``fairgate.yaml`` (or a file with only one of its parts).

    :raises ConfigError: with every problem that was found, a line each
    """
    document = read_document(path)
    return Project(_checked(document, Config), path, _repository(path), document)


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
    return _checked(read_document(path), part)


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
