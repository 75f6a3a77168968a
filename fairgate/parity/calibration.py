"""Calibration per group: whether 0.7 means seven in ten for everybody. Reported, never a rule.

Source: expected calibration error over equal-width bins, Naeini, Cooper & Hauskrecht (2015), AAAI, 2901–2907.
"""

from collections.abc import Sequence
from itertools import product

from fairgate.golden.decided import Decided
from fairgate.results import CalibrationGroup
from fairgate.wording.numbers import group as words

BINS = 10
"""Bins of equal width; 1 belongs to the last one."""


def calibrate(decided: Decided, crossings: Sequence[Sequence[str]]) -> list[CalibrationGroup]:
    """The expected calibration error of every declared group of each attribute or crossing.

    ECE = Σ over bins of (n_b / n) · |mean probability − share of label 1|, which is (1/n) Σ over bins of
    |Σ (probability − label)|.
    Cases whose probability is blank or no number in [0, 1] are left out and counted.
    """
    return [row for attributes in crossings for row in _one(decided, list(attributes))]


def _one(decided: Decided, attributes: list[str]) -> list[CalibrationGroup]:
    probability, label = decided.outcomes["probability"], decided.outcomes["label"]
    usable = probability.notna()
    bins = (probability[usable] * BINS).astype(int).clip(upper=BINS - 1).rename("bin")
    excess = probability[usable] - label[usable].astype(float)
    groups = [decided.groups[name].cat.set_categories(decided.declared[name]) for name in attributes]
    inside = [group[usable] for group in groups]
    distance = excess.groupby([*inside, bins], observed=True).sum().abs()
    totals = distance.groupby(level=list(range(len(attributes))), observed=True).sum()
    sizes = excess.groupby(inside, observed=True).size()
    lacking = probability[~usable].groupby([group[~usable] for group in groups], observed=True).size()
    rows = []
    for levels in product(*(decided.declared[name] for name in attributes)):
        key = levels if len(levels) > 1 else levels[0]
        n = int(sizes.get(key, 0))
        rows.append(
            CalibrationGroup(
                attribute=attributes,
                group=words(dict(zip(attributes, levels, strict=True))),
                n=n,
                ece=float(totals[key]) / n if n else None,
                left_out=int(lacking.get(key, 0)),
            )
        )
    return rows
