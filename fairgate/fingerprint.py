"""One hash over everything that a run's verdict depends on before anything is asked: inputs, not results."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from fairgate import __version__
from fairgate.config.load import Project
from fairgate.config.model import (
    ChatSystem,
    DecisionsSuite,
    ExpectedCases,
    HarnessSuite,
    PromptFile,
    PythonSystem,
    RecordedSystem,
    SystemConfig,
)

Where = tuple[str | int, ...]


def fingerprint(project: Project) -> str:
    """sha256 over the configuration as typed (a policy's confidence included), the bytes of every file it names, and
    the version of fairgate. Equal fingerprints: the same questions would be asked and judged by the same rules.
    """
    digest = hashlib.sha256(f"fairgate {__version__}\n{project.config.model_dump_json()}\n".encode())
    for where, path in input_files(project):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"{where}\t{content}\n".encode())
    return digest.hexdigest()


def input_files(project: Project) -> Iterator[tuple[Where, Path]]:
    """Every file that the configuration names, with the place that names it.

    :raises ConfigError: a file does not exist or leaves the repository
    """
    for where, text in _named_files(project):
        yield where, project.resolve(text, where)


def _named_files(project: Project) -> Iterator[tuple[Where, str]]:
    config = project.config
    for name, system in config.systems.items():
        yield from _system_files(("systems", name), system, project.file.parent)
    for index, swap in enumerate(config.swap):
        where: Where = ("swap", index)
        match swap:
            case HarnessSuite():
                yield (*where, "cases"), swap.cases
            case DecisionsSuite():
                yield (*where, "decisions"), swap.decisions
                yield from _expected_file(where, swap.expected)
    for index, suite in enumerate(config.fairness):
        yield ("fairness", index, "cases"), suite.cases
        yield from _expected_file(("fairness", index), suite.expected)


def _expected_file(where: Where, expected: ExpectedCases | None) -> Iterator[tuple[Where, str]]:
    if expected is not None and expected.ids is not None:
        yield (*where, "expected", "ids"), expected.ids


def _system_files(where: Where, system: SystemConfig, folder: Path) -> Iterator[tuple[Where, str]]:
    match system:
        case ChatSystem():
            for index, message in enumerate(system.messages):
                if isinstance(message, PromptFile):
                    yield (*where, "messages", index, "file"), message.file
        case RecordedSystem():
            yield (*where, "answers"), system.answers
        case PythonSystem():
            module = system.callable.partition(":")[0].replace(".", "/")
            for candidate in (f"{module}.py", f"{module}/__init__.py"):
                if (folder / candidate).is_file():
                    yield (*where, "callable"), candidate
