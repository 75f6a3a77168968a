"""Calibration per group: whether 0.7 means seven in ten for everybody. Reported, never a rule.

Source: expected calibration error over equal-width bins, Naeini, Cooper & Hauskrecht (2015), AAAI, 2901–2907.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import product

from fairgate.golden.decided import Decided
from fairgate.golden.tally import BINS, PROBABILITY_UNIT
from fairgate.results import CalibrationBin, CalibrationGroup
from fairgate.wording.numbers import group as words


def calibrate(decided: Decided, crossings: Sequence[Sequence[str]]) -> list[CalibrationGroup]:
    """The expected calibration error of every declared group of each attribute or crossing, with its reliability table.

    Cases whose probability is blank or no number in [0, 1] are left out and counted.
    """
    return [row for attributes in crossings for row in _one(decided, list(attributes))]


def _one(decided: Decided, attributes: list[str]) -> list[CalibrationGroup]:
    levels = list(product(*(decided.declared[name] for name in attributes)))
    tables: dict[tuple[str | None, ...], list[list[float]]] = {level: _empty() for level in levels}
    lacking: dict[tuple[str | None, ...], int] = defaultdict(int)
    for level, kind, cases in decided.levels(attributes):
        if kind.bin is None:
            lacking[level] += cases
        elif level in tables:
            row = tables[level][kind.bin]
            row[0] += cases
            row[1] += decided.probabilities[kind]
            row[2] += cases * (kind.label or 0)
    return [_group(dict(zip(attributes, level, strict=True)), tables[level], lacking[level]) for level in levels]


def _empty() -> list[list[float]]:
    """For every bin its cases, the sum of their probabilities in units, the sum of their labels."""
    return [[0, 0, 0] for _ in range(BINS)]


def _group(group: dict[str, str], sums: Sequence[Sequence[float]], left_out: int) -> CalibrationGroup:
    table = [
        reliability_row(position, n, probabilities / PROBABILITY_UNIT, labels)
        for position, (n, probabilities, labels) in enumerate(sums)
    ]
    n = sum(row.n for row in table)
    table = table if n else []
    return CalibrationGroup(
        attribute=list(group), group=words(group), n=n, ece=expected_error(table), left_out=left_out, bins=table
    )


def reliability_row(position: int, n: float, probabilities: float, labels: float) -> CalibrationBin:
    """A row of a reliability table from the sums over its cases."""
    return CalibrationBin(
        lower=position / BINS,
        upper=(position + 1) / BINS,
        n=int(n),
        probability=min(1.0, float(probabilities) / n) if n else None,
        observed=float(labels) / n if n else None,
    )


def expected_error(table: Sequence[CalibrationBin]) -> float | None:
    """ECE = Σ over bins of (n_b / n) · |mean probability − share of label 1|; None without a case."""
    n = sum(row.n for row in table)
    if not n:
        return None
    return sum(row.n * abs((row.probability or 0.0) - (row.observed or 0.0)) for row in table) / n
