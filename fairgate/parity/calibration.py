"""Calibration per group: whether 0.7 means seven in ten for everybody. Reported, never a rule.

Source: expected calibration error over equal-width bins, Naeini, Cooper & Hauskrecht (2015), AAAI, 2901–2907.
"""

from collections.abc import Sequence
from itertools import product

import pandas as pd

from fairgate.golden.decided import Decided
from fairgate.results import CalibrationBin, CalibrationGroup
from fairgate.wording.numbers import group as words

BINS = 10
"""Bins of equal width; 1 belongs to the last one."""


def calibrate(decided: Decided, crossings: Sequence[Sequence[str]]) -> list[CalibrationGroup]:
    """The expected calibration error of every declared group of each attribute or crossing, with its reliability table.

    Cases whose probability is blank or no number in [0, 1] are left out and counted.
    """
    return [row for attributes in crossings for row in _one(decided, list(attributes))]


def _one(decided: Decided, attributes: list[str]) -> list[CalibrationGroup]:
    probability, label = decided.outcomes["probability"], decided.outcomes["label"]
    usable = probability.notna()
    bins = (probability[usable] * BINS).astype(int).clip(upper=BINS - 1).rename("bin")
    groups = [decided.groups[name].cat.set_categories(decided.declared[name]) for name in attributes]
    cases = pd.DataFrame({"n": 1, "probability": probability[usable], "label": label[usable].astype(int)})
    tables = dict(list(cases.groupby([group[usable] for group in groups], observed=True)))
    lacking = probability[~usable].groupby([group[~usable] for group in groups], observed=True).size()
    rows = []
    for levels in product(*(decided.declared[name] for name in attributes)):
        key = levels if len(levels) > 1 else levels[0]
        inside = tables.get(levels)
        table = [] if inside is None else _reliability(inside.groupby(bins).sum())
        rows.append(
            CalibrationGroup(
                attribute=attributes,
                group=words(dict(zip(attributes, levels, strict=True))),
                n=sum(row.n for row in table),
                ece=expected_error(table),
                left_out=int(lacking.get(key, 0)),
                bins=table,
            )
        )
    return rows


def _reliability(sums: pd.DataFrame) -> list[CalibrationBin]:
    """One row per bin, empty ones too. ``sums``: by bin, the cases, their probabilities, their labels."""
    return [
        reliability_row(i, *(sums.loc[i, ["n", "probability", "label"]] if i in sums.index else (0, 0, 0)))
        for i in range(BINS)
    ]


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
