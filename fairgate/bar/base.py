"""The configuration and the golden files as they were in the base, read by the same readers as those of the head."""

import posixpath
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from fairgate.config.project import Project, load
from fairgate.errors import FairgateError
from fairgate.fingerprint import named_files
from fairgate.git import Tree


@dataclass(frozen=True)
class Base:
    """What a change is held against, as it is known outside.

    :param commit: a commit, a branch or a tag
    :param head: the author's last commit, where the checkout may be a merge of it with the base
    :param asked_for: somebody named it; else it is what an event says, and a checkout need not hold it
    """

    commit: str
    head: str | None = None
    asked_for: bool = True


@contextmanager
def base_project(tree: Tree, path: str) -> Iterator[Project]:
    """The project of the base: its configuration and the files that it names, in a folder of their own meanwhile.

    :param path: the configuration, from the top of the repository
    :raises FairgateError: the configuration cannot be read by this version; a golden file that is not there or cannot
        be had is found out when it is read
    """
    with tempfile.TemporaryDirectory(prefix="fairgate-base-") as folder:
        top = Path(folder).resolve()
        (top / ".git").mkdir()  # what makes a folder the top of a repository
        try:
            _copy(tree, path, top)
            project = load(top / path)
            for _, name in named_files(project.config):
                _copy(tree, posixpath.normpath(posixpath.join(posixpath.dirname(path), name)), top)
        except FairgateError as error:
            raise type(error)(without_folder(str(error), top)) from None
        yield project


def without_folder(text: str, top: Path) -> str:
    """An error about the base with paths from the top of the repository."""
    return text.replace(f"{top}/", "")


def moved_from(tree: Tree, root: Path, suites: Collection[str]) -> str | None:
    """The configuration that a change moved away: one of the base that is gone; None where none is.

    Of several it is the one that has most suites in common with the head.

    :param suites: names of the suites of the head
    """
    gone: dict[str, set[str]] = {}
    for path in sorted(tree.files):
        if path.endswith((".yaml", ".yml")) and not (root / path).exists():
            with suppress(FairgateError), base_project(tree, path) as project:  # some other YAML file is no error
                config = project.config
                gone[path] = {suite.name for suite in (*config.swap, *config.fairness, *config.rag)}
    return max((path for path in gone if gone[path]), key=lambda path: len(gone[path] & set(suites)), default=None)


def _copy(tree: Tree, path: str, top: Path) -> None:
    """One file of the base; what leads out of the repository or is not there is left to its reader."""
    inside = not path.startswith(("../", "/")) and path != ".."
    content = tree.read(path) if inside else None
    if content is not None:
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_bytes(content)
