"""The golden files of the base beside those of the head: cases that are gone, and cases of which something else is
expected now.

Only what is fixed before outcomes are seen is compared. A prediction, a recorded answer, what was retrieved for it:
that is what the system did, and new in every run.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from unicodedata import normalize

from fairgate.bar.findings import Code
from fairgate.config.model import DecisionsSuite, ExpectedCases, FairnessSuite, HarnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.golden.cases import read_cases
from fairgate.golden.table import read_lines, read_table

NAMED = 20
"""Cases that are named one by one."""

_EXPECTED = ("expected_ground_truth", "expected")
_MADE_BY_THE_SYSTEM = ("generated_answer", "retrieved_context")


@dataclass(frozen=True)
class Golden:
    """What is fixed of one case: what it says, and what is expected of its outcome (nothing, where that is open)."""

    text: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CaseChange:
    """What happened to how many cases; the first ``NAMED`` by name."""

    code: Code
    ids: tuple[str, ...]
    count: int


def lowered_cases(old: Mapping[str, Golden], new: Mapping[str, Golden]) -> Iterator[CaseChange]:
    """Cases by id, base and head: those deleted, those of which something else is expected, those rewritten.

    More cases lower nothing. A field that only one side has was added or taken away, and counts as rewritten.
    """
    common = [id for id in old if id in new]
    found: dict[Code, list[str]] = {
        "cases_deleted": [id for id in old if id not in new],
        "expected_changed": [id for id in common if old[id].expected != new[id].expected],
        "cases_changed": [id for id in common if old[id].text != new[id].text],
    }
    for code, ids in found.items():
        if ids:
            yield CaseChange(code, tuple(ids[:NAMED]), len(ids))


def read_golden(suite: Any, project: Project, where: Where) -> dict[str, Golden]:
    """The cases of a suite by id, as far as they are fixed.

    :raises FairgateError: a file cannot be read
    """
    match suite:
        case HarnessSuite():
            cases = read_cases(project.resolve(suite.cases, (*where, "cases")))
            return {case.id: Golden(text=dict(case.fields), expected=_tags(case.tags)) for case in cases}
        case DecisionsSuite():
            return _decisions(suite, project, where)
        case FairnessSuite():
            return _decided(suite, project, where)
        case RagSuite():
            return _samples(suite, project, where)
    raise TypeError(suite)


def _tags(tags: Sequence[str]) -> dict[str, Any]:
    """Tags say under which profiles a case is asked at all: to take one off is to ask less."""
    return {"tags": sorted(tags)} if tags else {}


def _decisions(suite: DecisionsSuite, project: Project, where: Where) -> dict[str, Golden]:
    path = project.resolve(suite.decisions, (*where, "decisions"))
    rows = read_table(path, needed=[suite.base], only_needed=True).rows
    found = {str(row.cells[normalize("NFC", suite.base)]): Golden() for row in rows}
    return dict.fromkeys(_expected_ids(suite.expected, project, where), Golden()) | found


def _decided(suite: FairnessSuite, project: Project, where: Where) -> dict[str, Golden]:
    labels = [suite.label] if suite.label is not None else []
    needed = list(dict.fromkeys(["id", *labels, *suite.attributes]))
    rows = read_table(project.resolve(suite.cases, (*where, "cases")), needed=needed, only_needed=True).rows
    found = {
        str(row.cells["id"]): Golden(
            text={name: row.cells[normalize("NFC", name)] for name in suite.attributes},
            expected={name: row.cells[normalize("NFC", name)] for name in labels},
        )
        for row in rows
    }
    return dict.fromkeys(_expected_ids(suite.expected, project, where), Golden()) | found


def _expected_ids(expected: ExpectedCases | None, project: Project, where: Where) -> list[str]:
    """The ids of a file that lists them, also of those that did not come."""
    if expected is None or expected.ids is None:
        return []
    path = project.resolve(expected.ids, (*where, "expected", "ids"))
    if path.name.lower().endswith(".txt"):
        return [text for _, text in read_lines(path)]
    return [str(row.cells["id"]) for row in read_table(path, needed=["id"], only_needed=True).rows]


def _samples(suite: RagSuite, project: Project, where: Where) -> dict[str, Golden]:
    def column(name: str) -> str:
        return normalize("NFC", suite.fields.get(name, name))

    expected = [column(name) for name in _EXPECTED]
    apart = {column("sample_id"), *expected, *map(column, _MADE_BY_THE_SYSTEM)}
    table = read_table(project.resolve(suite.cases, (*where, "cases")), needed=[column("sample_id")], nested=True)
    return {
        str(row.cells[column("sample_id")]).strip(): Golden(
            text={name: value for name, value in row.cells.items() if name not in apart and value is not None},
            expected={name: row.cells[name] for name in expected if row.cells.get(name) is not None},
        )
        for row in table.rows
    }
