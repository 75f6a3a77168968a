"""What a system needs to know of the project that it is configured in."""

from pathlib import Path
from typing import Protocol

from fairgate.errors import ConfigError

Where = tuple[str | int, ...]
"""A path of keys in ``fairgate.yaml``, e.g. ``('systems', 'loan', 'messages', 0, 'file')``."""


class Project(Protocol):
    """The part of ``fairgate.config``'s project that systems use: where files are, and how an error names its place."""

    @property
    def file(self) -> Path:
        """The configuration file; systems run in its folder."""
        ...

    @property
    def root(self) -> Path:
        """The repository's top folder, which no path may leave."""
        ...

    def resolve(self, text: str, where: Where) -> Path:
        """An existing file inside the repository; raises ConfigError at ``where``."""
        ...

    def error(self, where: Where, message: str) -> ConfigError:
        """An error that names file, line and key."""
        ...


def shown(path: Path, project: Project) -> str:
    """A path as people know it: relative to the repository where it lies in it."""
    try:
        return path.resolve().relative_to(project.root.resolve()).as_posix()
    except ValueError:
        return str(path)
