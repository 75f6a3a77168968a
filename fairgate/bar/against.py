"""The bar of the head against that of the base: the base's tree is found, read and compared; nothing is judged here."""

import posixpath
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import file_digest
from pathlib import Path
from typing import Any

from fairgate import git
from fairgate.bar.base import Base, base_project, moved_from
from fairgate.bar.cases import lowered_cases, read_golden
from fairgate.bar.compare import Difference, change_of, lowered, suites_of
from fairgate.bar.findings import Change, Changes
from fairgate.bar.signoffs import FILE, SignOff, SignOffs
from fairgate.config.model import Config
from fairgate.config.project import Project, read_part
from fairgate.config.scope import Scope
from fairgate.config.section import Where
from fairgate.errors import FairgateError
from fairgate.fingerprint import named_files
from fairgate.wording import sentence


@dataclass(frozen=True)
class Against:
    """What came of it; nothing where there is no base.

    :param signoffs: the sign-offs that the base had already; None where they are not known
    """

    changes: Changes | None
    signoffs: list[SignOff] | None = None


def against(project: Project, base: Base) -> Against:
    """Hold a project against its base. Never raises for what is wrong with the base: that is a finding."""
    tree = git.base(project.root, base.commit, base.head)
    if isinstance(tree, git.NoBase):
        return Against(_unknown(tree.commit, reason=tree.reason, review=base.asked_for))
    try:
        return Against(_compared(_as_written(project), tree), _signoffs(tree))
    except FairgateError as error:
        return Against(_unknown(tree.commit, reason="unreadable", problem=str(error), review=True))


def _as_written(project: Project) -> Project:
    """All of a project, whatever profile it is run under: the bar is what the file says for every occasion."""
    return replace(project, config=project.written, scope=Scope())


def _compared(project: Project, tree: git.Tree) -> Changes:
    path = (project.file.parent.resolve() / project.file.name).relative_to(project.root).as_posix()
    moved = None
    if tree.read(path) is None:
        moved = moved_from(tree, project.root, suites_of(project.config))
        if moved is None:
            message = sentence("bar_base", state="new", base=tree.commit, commit=tree.commit, path=path)
            return Changes(state="new", base=tree.commit, message=message)
    with base_project(tree, moved or path) as found:
        old = _as_written(found)
        changes = [*lowered(old.config, project.config), *_cases(old, project), *_baseline(tree, path, project)]
    message = sentence("bar_base", state="compared", base=tree.commit, commit=tree.commit, moved=moved)
    return Changes(state="compared", base=tree.commit, message=message, lowered=changes)


def _baseline(tree: git.Tree, path: str, project: Project) -> Iterator[Change]:
    """Another report as the baseline: rules about the change are only as good as what they compare with."""
    named = project.config.baseline
    if named is None:
        return
    was = tree.read(posixpath.normpath(posixpath.join(posixpath.dirname(path), named)))
    try:
        now = (project.file.parent / named).read_bytes()
    except OSError:
        now = None
    if was is not None and was != now:
        yield change_of(Difference("changed", "baseline", named, named if now is not None else None))


def _cases(old: Project, new: Project) -> Iterator[Change]:
    """What happened to the cases of every suite that both have."""
    before = dict(_placed(old.config))
    for name, (suite, where) in _placed(new.config):
        if name not in before or type(before[name][0]) is not type(suite):
            continue
        files = _files(old, before[name][1])
        if before[name][0] == suite and files is not None and files == _files(new, where):
            continue
        try:
            golden = read_golden(before[name][0], old, before[name][1])
        except FairgateError as error:
            problem = str(error).replace(f"{old.root}/", "")
            yield change_of(Difference("cases_unreadable", "cases", problem), name)
            continue
        for found in lowered_cases(golden, read_golden(suite, new, where)):
            yield change_of(Difference(found.code, "cases"), name, cases=list(found.ids), count=found.count)


def _files(project: Project, where: Where) -> list[str] | None:
    """Digests of a suite's files, so that large ones that nobody touched are not read case by case; None: not known."""
    try:
        paths = [project.resolve(name, place) for place, name in named_files(project.config) if place[:2] == where]
        return [_digest(path) for path in paths]
    except (FairgateError, OSError):
        return None


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _placed(config: Config) -> Iterator[tuple[str, tuple[Any, Where]]]:
    for kind, suites in (("swap", config.swap), ("fairness", config.fairness), ("rag", config.rag)):
        for index, suite in enumerate(suites):
            yield suite.name, (suite, (kind, index))


def _signoffs(tree: git.Tree) -> list[SignOff] | None:
    content = tree.read(FILE.as_posix())
    if content is None:
        return []
    with tempfile.TemporaryDirectory(prefix="fairgate-base-") as folder:
        path = Path(folder) / FILE.name
        path.write_bytes(content)
        try:
            return read_part(path, SignOffs).signoffs
        except FairgateError:
            return None


def _unknown(commit: str, *, reason: str, review: bool, problem: str = "") -> Changes:
    """Not to know whether the bar was lowered is no proof that it was not, and is always said.

    :param review: a person has to look. Not where only the checkout lacks a base nobody asked for: actions/checkout
        fetches one commit unless told otherwise, and a review on every pull request would be read by nobody
    """
    message = sentence("bar_base", state="unknown", reason=reason, commit=commit, problem=problem)
    changes = [change_of(Difference("base_unknown", "base", message))] if review else []
    return Changes(state="unknown", base=None, message=message, lowered=changes)
