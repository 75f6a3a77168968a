"""The baseline: a report of an earlier run, or why there is none. Whatever is wrong with it is a value, never an error:
a run without a baseline says so and is judged all the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from fairgate.baseline.states import State, flip_state
from fairgate.config.project import Project
from fairgate.config.values import shown
from fairgate.errors import InputError, UsageError
from fairgate.report import SCHEMA, Report
from fairgate.results import SuiteResult
from fairgate.verdict import worst
from fairgate.wording import sentence

MOST_BYTES = 64 * 1024 * 1024
"""A larger file is no report of ours: 20,000 base cases take about 3 MB."""


@dataclass(frozen=True)
class Baseline:
    """A report to compare with.

    :param source: where it came from, as people call it: a path, an artifact
    :param commit: the commit that it judged; None when nobody knows
    :param when: when it was judged, UTC
    """

    report: Report
    source: str
    commit: str | None
    when: str | None

    def suite(self, name: str) -> SuiteResult | None:
        """The suite of this name."""
        return next((suite for suite in self.report.suites if suite.name == name), None)


@dataclass(frozen=True)
class NoBaseline:
    """There is no report to compare with.

    :param reason: ``baseline_not_named``, ``baseline_not_found``, ``baseline_unreadable``, ``baseline_other_schema``,
        ``baseline_inconsistent``, ``baseline_single_case``, ``baseline_other_commit`` or ``baseline_other_suites``;
        whoever fetches one may have reasons of their own
    :param sentence: one plain sentence, where it was looked for included
    """

    source: str
    reason: str
    sentence: str


def load_baseline(
    found: Path | bytes, source: str, *, commit: str | None = None, when: str | None = None
) -> Baseline | NoBaseline:
    """Read a report as the baseline of a run.

    :param found: its path, or its bytes
    :param source: what people call it
    :param commit: the commit that it judged, as whoever fetched it knows; the report's own word by default
    :param when: when that was, the same
    """
    if isinstance(found, bytes):
        content = found
    else:
        try:
            if not found.exists():
                return no_baseline("baseline_not_found", source)
            with found.open("rb") as file:
                content = file.read(MOST_BYTES + 1)
        except (OSError, ValueError) as error:
            return no_baseline("baseline_unreadable", source, str(error))
    if len(content) > MOST_BYTES:
        return no_baseline("baseline_unreadable", source, f"more than {MOST_BYTES // 1024 // 1024} MB")
    return _read(content, source, commit, when)


def no_baseline(reason: str, source: str = "", detail: str = "") -> NoBaseline:
    """Why there is none, with its sentence."""
    return NoBaseline(source, reason, sentence("baseline_missing", reason=reason, source=source, detail=detail))


def read_reports(paths: Sequence[Path]) -> list[Baseline]:
    """The reports to put side by side.

    :raises UsageError: fewer than two, or the same one twice
    :raises InputError: naming every file that is no report
    """
    if len(paths) < 2 or len(set(paths)) < len(paths):
        raise UsageError("compare: expected two or more different reports: fairgate compare before.json after.json")
    for path in paths:
        if path.is_dir():
            inside = path / "report.json"
            hint = f"name its report: {inside}" if inside.is_file() else "no report.json lies in it"
            raise UsageError(f"compare: {path} is a folder; {hint}")
    found = [load_baseline(path, str(path)) for path in paths]
    broken = [one.sentence for one in found if isinstance(one, NoBaseline)]
    if broken:
        raise InputError("\n".join(f"compare: {text}" for text in broken))
    return [one for one in found if isinstance(one, Baseline)]


def named_baseline(project: Project) -> Baseline | NoBaseline | None:
    """The baseline that the configuration names; None when it names none.

    :raises ConfigError: the path leaves the repository
    """
    named = project.config.baseline
    if named is None:
        return None
    try:
        path = (project.file.parent / named).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise project.error(("baseline",), f"found {shown(named)}, which cannot be a file: {error}") from None
    if not path.is_relative_to(project.root):
        message = f"found {shown(named)}, which leaves the repository; files have to lie inside it"
        raise project.error(("baseline",), message)
    return load_baseline(path, named)


def _read(content: bytes, source: str, commit: str | None, when: str | None) -> Baseline | NoBaseline:
    try:
        report = Report.model_validate_json(content)
    except ValidationError as error:
        if f'"schema": "{SCHEMA}"'.encode() not in content[:200] and b'"schema"' in content[:200]:
            return no_baseline("baseline_other_schema", source, SCHEMA)
        return no_baseline("baseline_unreadable", source, _first(error))
    if report.case is not None:
        return no_baseline("baseline_single_case", source)
    if report.verdict.severity < worst(suite.verdict for suite in report.suites).severity:
        return no_baseline("baseline_inconsistent", source, report.name)
    claimed = next((suite.name for suite in report.suites if not _agrees(suite)), None)
    if claimed is not None:
        return no_baseline("baseline_inconsistent", source, claimed)
    return Baseline(report, source, commit or (report.git.commit if report.git else None), when or report.when)


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, and where."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def _agrees(suite: SuiteResult) -> bool:
    """Whether a suite's verdict is that of its rules and its outcomes say what its counts say: who edits one by hand
    forgets the other."""
    if suite.verdict.severity < worst(rule.verdict for rule in suite.rules).severity:
        return False
    if suite.outcomes is None:
        return True
    if suite.flips is None:
        return False
    flipped = sum(flip_state(base.outcomes) is State.BAD for base in suite.outcomes.bases)
    bases = len(suite.outcomes.bases) + suite.outcomes.absent
    return (flipped, bases) == (suite.flips.flipped, suite.flips.bases)
