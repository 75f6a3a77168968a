"""One hash over everything that a run's verdict depends on before anything is asked: inputs, not results."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fairgate import __version__
from fairgate.config.model import Config, DecisionsSuite, ExpectedCases, HarnessSuite, RagSuite, Section
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.models.protocol import System


def of_file(path: Path) -> str:
    """The sha256 of what a file says, read piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fingerprint(project: Project, systems: Iterable[System], hashed: Callable[[Path], str] = of_file) -> str:
    """sha256 over the configuration as typed (a policy's confidence included), the bytes of every file that decides
    what is asked and expected, and the version of fairgate.

    Equal fingerprints: the same questions would be asked of the same systems and judged by the same rules.

    :param hashed: gives a file's ``of_file``; a run remembers it, so that a large file is read for it once
    """
    digest = hashlib.sha256(f"fairgate {__version__}\n{project.config.model_dump_json()}\n".encode())
    files = {*_suite_files(project), *(file.resolve() for system in systems for file in system.files())}
    for name, path in sorted((_name(path, project.root), path) for path in files):
        digest.update(f"{name}\t{hashed(path)}\n".encode())
    return digest.hexdigest()


def _name(path: Path, root: Path) -> str:
    """Relative to the repository, so that the hash is the same wherever it is checked out."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def suite_inputs(
    project: Project, suite: Any, where: Where, asked: Mapping[str, System], hashed: Callable[[Path], str] = of_file
) -> dict[str, str]:
    """What one suite rests on, part by part: itself, whom it asks, who judges it, its files, which of its cases are
    asked, confidence and version. All of it as it is in force: a profile that changes any of it makes it another suite.

    :param where: the suite's place in the configuration
    :param asked: the systems and judges of this suite, by their place: ``systems.loan``, ``judges.fast``
    :param hashed: as of ``fingerprint``
    :returns: name of the part to the sha256 of what it says; equal parts rest on the same
    """
    config = project.config
    parts: dict[str, bytes] = {
        "fairgate": __version__.encode(),
        "confidence": repr(config.confidence).encode(),
        "suite": suite.model_dump_json().encode(),
        **{place: _declared(config, place).model_dump_json().encode() for place in asked},
    }
    if config.embeddings is not None and "answer_relevance" in getattr(suite, "metrics", ()):
        parts["embeddings"] = config.embeddings.model_dump_json().encode()
    if project.scope.tags and isinstance(suite, HarnessSuite | RagSuite):
        parts["tags"] = json.dumps(sorted(project.scope.tags)).encode()
    if project.case is not None:
        parts["case"] = project.case.encode()
    files = {project.resolve(name, place) for place, name in named_files(config) if place[:2] == where}
    files |= {file.resolve() for system in asked.values() for file in system.files()}
    hashes = {name: hashlib.sha256(said).hexdigest() for name, said in parts.items()}
    for file in sorted(files):
        name = _name(file, project.root)
        while name in hashes:  # a file called like a part, or like another outside of the repository
            name = f"./{name}"
        hashes[name] = hashed(file)
    return dict(sorted(hashes.items()))


def of_inputs(inputs: Mapping[str, str]) -> str:
    """The fingerprint of a suite: one hash over everything that it rests on."""
    return hashlib.sha256("".join(f"{name}\t{said}\n" for name, said in sorted(inputs.items())).encode()).hexdigest()


def _declared(config: Config, place: str) -> Section:
    kind, _, name = place.partition(".")
    declared: Section = getattr(config, kind)[name]
    return declared


def _suite_files(project: Project) -> Iterator[Path]:
    for where, name in named_files(project.config):
        yield project.resolve(name, where)


def named_files(config: Config) -> Iterator[tuple[Where, str]]:
    """The files with cases that a configuration names, each with its place, as written."""
    for index, suite in enumerate(config.swap):
        where = ("swap", index)
        match suite:
            case HarnessSuite():
                yield (*where, "cases"), suite.cases
            case DecisionsSuite():
                yield (*where, "decisions"), suite.decisions
                yield from _expected_file(where, suite.expected)
    for index, decided in enumerate(config.fairness):
        yield ("fairness", index, "cases"), decided.cases
        yield from _expected_file(("fairness", index), decided.expected)
    for index, rag in enumerate(config.rag):
        yield ("rag", index, "cases"), rag.cases


def _expected_file(where: Where, expected: ExpectedCases | None) -> Iterator[tuple[Where, str]]:
    if expected is not None and expected.ids is not None:
        yield (*where, "expected", "ids"), expected.ids
