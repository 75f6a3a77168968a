"""What a parity rule can come to on its file, and how many cases of each group it takes."""

from collections.abc import Iterator

import numpy as np
from scipy.special import betaincinv
from scipy.stats import binom

from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.golden.decided import read_decided
from fairgate.golden.reading import Needs
from fairgate.parity.cells import RATES, Cells, count
from fairgate.parity.rules import Criterion
from fairgate.parity.size import cannot_pass, needed_to_pass
from fairgate.parity.suite import criterion_of
from fairgate.plan.forms import RulePlan
from fairgate.wording import sentence

POWER = 0.80
ASSUMED_RATE = 0.10
"""In every group, where the file shows no rate."""

MOST = 100_000
"""Cases per group beyond which nobody would go."""


def parity_plans(suite: FairnessSuite, project: Project, where: Where, confidence: float) -> Iterator[RulePlan]:
    """One plan for each rule.

    :raises FairgateError: the file of decided cases cannot be read
    """
    rates = [RATES[rule.rate] for rule in suite.rules]
    labels, denominators = any(rate.reads_labels for rate in rates), any(rate.label is not None for rate in rates)
    decided = read_decided(suite, project, where, Needs(labels=labels, denominators=denominators))
    for rule in suite.rules:
        counts = count(decided, RATES[rule.rate], rule.attribute)
        yield _plan(suite.name, rule, counts, criterion_of(suite, rule, confidence))


def _plan(suite: str, rule: FairnessRule, counts: Cells, criterion: Criterion) -> RulePlan:
    groups, smallest = len(counts.cells), min(cell.eligible for cell in counts.cells)
    rate = _pooled(counts)
    is_gap = criterion.metric == "max_group_gap"
    enough = cases_for_power(criterion.limit, groups, rate, criterion.tail(groups)) if is_gap else None
    can_pass = not cannot_pass(counts, criterion)
    message = sentence(
        "plan_parity", smallest=smallest, groups=groups, needed=needed_to_pass(criterion, groups), can_pass=can_pass,
        is_gap=is_gap, enough=enough, power=POWER, rate=rate,
    )  # fmt: skip
    return RulePlan(
        suite=suite, rule=rule.id, metric=criterion.metric, limit=criterion.limit, cases=smallest, can_pass=can_pass,
        message=message,
    )  # fmt: skip


def _pooled(counts: Cells) -> float:
    """The rate over all groups, as if they were equal: for planning only."""
    observed, events = (sum(getattr(cell, name) for cell in counts.cells) for name in ("observed", "events"))
    return events / observed if observed and 0 < events < observed else ASSUMED_RATE


def cases_for_power(limit: float, groups: int, rate: float, tail: float, power: float = POWER) -> int | None:
    """Cases in each of so many equal groups with which a gap rule by intervals passes with this chance.

    :param limit: of the gap
    :param rate: of events, the same in every group
    :param tail: error probability of each side of one group's interval
    :returns: the number, the smallest up to the saw teeth of a discrete count; None beyond ``MOST``
    """
    undecided, enough = 0, 8
    while chance_to_pass(enough, limit, groups, rate, tail) < power:
        undecided, enough = enough, enough * 2
        if enough > MOST:
            return None
    while enough - undecided > 1:
        middle = (undecided + enough) // 2
        passes = chance_to_pass(middle, limit, groups, rate, tail) >= power
        undecided, enough = (undecided, middle) if passes else (middle, enough)
    return enough


def chance_to_pass(cases: int, limit: float, groups: int, rate: float, tail: float) -> float:
    """The exact chance that every gap's upper end is within the limit, groups of ``cases`` each at the same rate.

    The widest gap lies between the groups with the most and the fewest events, since both bounds grow with the events.
    With b(a) the most events whose upper bound is within the limit of the lower bound of a, and F the binomial
    distribution, P = Σ_a [(F(b(a)) − F(a − 1))^G − (F(b(a)) − F(a))^G]: all groups in [a, b(a)], some at a.
    """
    events = np.arange(cases + 1)
    lower = np.where(events > 0, betaincinv(np.maximum(events, 0.5), cases - events + 1, tail), 0.0)
    upper = np.where(events < cases, betaincinv(events + 1, np.maximum(cases - events, 0.5), 1 - tail), 1.0)
    most = np.searchsorted(upper, lower + limit, side="right") - 1
    cumulated = binom.cdf(np.arange(-1, cases + 1), cases, rate)
    whole = np.where(most >= events, cumulated[most + 1] - cumulated[events], 0.0)
    above = np.where(most >= events, cumulated[most + 1] - cumulated[events + 1], 0.0)
    return float(np.sum(whole**groups - above**groups))
