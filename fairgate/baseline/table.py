"""Several reports of the same suites in one table: prompt A, prompt B, with a mask and without."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from fairgate.baseline.compare import compare_suite
from fairgate.baseline.load import Baseline
from fairgate.comparison import FlipChanges
from fairgate.results import CaseResult, Interval, Result, SuiteResult
from fairgate.stats.discordance import mcnemar
from fairgate.verdict import Verdict

SCHEMA = "fairgate.comparison/1"


class Entry(Result):
    """One report of the table."""

    source: str
    commit: str | None
    when: str | None
    verdict: Verdict


class SinceFirst(Result):
    """A suite of a later report beside the same suite of the first, on the cases that both asked alike."""

    pairs: int
    new: int = Field(description="cases that flip here and not in the first")
    settled: int = Field(description="cases that flip in the first and not here")
    open: int = Field(description="cases of which a missing outcome hides whether they changed, either way")
    p: float | None = Field(description="McNemar's exact test, two-sided, of new against settled; null with open ones")


class Row(Result):
    """One suite in one report."""

    suite: str
    kind: str
    source: str
    verdict: Verdict
    flipped: int | None = None
    bases: int | None = None
    rate: float | None = None
    interval: Interval | None = None
    since_first: SinceFirst | None = None
    why_not: str | None = Field(default=None, description="why the cases cannot be compared with the first report's")
    gaps: dict[str, float] = Field(default_factory=dict, description="axis: largest difference of selection rates")
    means: dict[str, float] = Field(default_factory=dict, description="metric: mean score of the scored answers")


class Table(Result):
    """What ``fairgate compare`` prints; every later report is compared with the first."""

    schema_: str = Field(default=SCHEMA, serialization_alias="schema")
    reports: list[Entry]
    rows: list[Row]


def table(reports: Sequence[Baseline]) -> Table:
    """Put two or more reports side by side, suite by suite.

    A suite of a later report stands beside the one of the same name, or, where there is only one of its kind in both,
    beside that.
    """
    entries = [
        Entry(source=one.source, commit=one.commit, when=one.when, verdict=one.report.verdict) for one in reports
    ]
    first, *others = reports
    rows: list[Row] = []
    for suite in first.report.suites:
        rows.append(_row(suite, first.source))
        for other in others:
            same = _same(suite, first, other)
            rows += [_row(same, other.source, suite)] if same else []
    return Table(reports=entries, rows=rows)


def _same(suite: SuiteResult, first: Baseline, other: Baseline) -> SuiteResult | None:
    named = other.suite(suite.name)
    if named is not None and named.kind == suite.kind:
        return named
    alone = [[one for one in found.report.suites if one.kind == suite.kind] for found in (first, other)]
    return alone[1][0] if len(alone[0]) == len(alone[1]) == 1 else None


def _row(suite: SuiteResult, source: str, first: SuiteResult | None = None) -> Row:
    flips = suite.flips
    compared = compare_suite(first, suite).told if first is not None else None
    return Row(
        suite=suite.name,
        kind=suite.kind,
        source=source,
        verdict=suite.verdict,
        flipped=flips.flipped if flips else None,
        bases=flips.bases if flips else None,
        rate=flips.rate if flips else None,
        interval=flips.interval if flips else None,
        since_first=_since(compared.flips) if compared and compared.flips else None,
        why_not=compared.message if compared else None,
        gaps=dict(_gaps(suite)),
        means=dict(_means(suite.cases or [])),
    )


def _since(flips: FlipChanges) -> SinceFirst:
    new, settled = len(flips.newly_flipped), len(flips.newly_settled)
    return SinceFirst(
        pairs=flips.pairs,
        new=new,
        settled=settled,
        open=len(flips.unknown),
        p=None if flips.unknown else mcnemar(new, settled),
    )


def _gaps(suite: SuiteResult) -> Iterator[tuple[str, float]]:
    """The largest difference between the selection rates of two levels of each axis, where all were measured."""
    for selection in suite.selection or []:
        rates = [group.estimate for group in selection.groups if group.estimate is not None]
        if len(selection.attribute) == 1 and rates and len(rates) == len(selection.groups):
            yield selection.attribute[0], max(rates) - min(rates)


def _means(cases: Sequence[CaseResult]) -> Iterator[tuple[str, float]]:
    for metric in dict.fromkeys(metric for case in cases for metric in case.scores):
        found = [case.scores[metric].score for case in cases if metric in case.scores]
        known = [score for score in found if score is not None]
        if known:
            yield metric, sum(known) / len(known)
