"""One hash over everything that a run's verdict depends on before anything is asked: inputs, not results."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from fairgate import __version__
from fairgate.config.model import DecisionsSuite, ExpectedCases, HarnessSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.models.protocol import System


def fingerprint(project: Project, systems: Iterable[System]) -> str:
    """sha256 over the configuration as typed (a policy's confidence included), the bytes of every file that decides
    what is asked and expected, and the version of fairgate.

    Equal fingerprints: the same questions would be asked of the same systems and judged by the same rules.
    """
    digest = hashlib.sha256(f"fairgate {__version__}\n{project.config.model_dump_json()}\n".encode())
    files = {*_suite_files(project), *(file.resolve() for system in systems for file in system.files())}
    for name, path in sorted((_name(path, project.root), path) for path in files):
        digest.update(f"{name}\t{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _name(path: Path, root: Path) -> str:
    """Relative to the repository, so that the hash is the same wherever it is checked out."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _suite_files(project: Project) -> Iterator[Path]:
    for where, name in _named_files(project):
        yield project.resolve(name, where)


def _named_files(project: Project) -> Iterator[tuple[Where, str]]:
    for index, suite in enumerate(project.config.swap):
        where = ("swap", index)
        match suite:
            case HarnessSuite():
                yield (*where, "cases"), suite.cases
            case DecisionsSuite():
                yield (*where, "decisions"), suite.decisions
                yield from _expected_file(where, suite.expected)
    for index, decided in enumerate(project.config.fairness):
        yield ("fairness", index, "cases"), decided.cases
        yield from _expected_file(("fairness", index), decided.expected)
    for index, rag in enumerate(project.config.rag):
        yield ("rag", index, "cases"), rag.cases


def _expected_file(where: Where, expected: ExpectedCases | None) -> Iterator[tuple[Where, str]]:
    if expected is not None and expected.ids is not None:
        yield (*where, "expected", "ids"), expected.ids
