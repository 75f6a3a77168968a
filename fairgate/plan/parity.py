"""What a parity rule can come to on its file, and how many cases of each group it takes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.golden.decided import read_decided
from fairgate.golden.reading import Needs
from fairgate.parity.cells import RATES, Cells, count
from fairgate.parity.criterion import Criterion, Method, criterion_of
from fairgate.parity.planning import cases_for_power, plan_fairness
from fairgate.parity.size import POWER, cannot_pass, needed_to_pass
from fairgate.plan.forms import RulePlan
from fairgate.wording import sentence

ASSUMED_RATE = 0.10
"""In every group, where the file shows no rate."""


def parity_plans(suite: FairnessSuite, project: Project, where: Where, confidence: float) -> Iterator[RulePlan]:
    """One plan for each rule; where there is no file yet, of what its groups would need.

    :raises FairgateError: the file of decided cases cannot be read
    """
    if not (project.file.parent / suite.cases).exists():
        yield from _before_any_data(suite, confidence)
        return
    rates = [RATES[rule.rate] for rule in suite.rules]
    labels, denominators = any(rate.reads_labels for rate in rates), any(rate.label is not None for rate in rates)
    decided = read_decided(suite, project, where, Needs(labels=labels, denominators=denominators))
    for rule in suite.rules:
        counts = count(decided, RATES[rule.rate], rule.attribute)
        yield _plan(suite.name, rule, counts, criterion_of(suite, rule, confidence))


def _before_any_data(suite: FairnessSuite, confidence: float) -> Iterator[RulePlan]:
    for planned in plan_fairness(suite, confidence, ASSUMED_RATE):
        message = sentence(
            "plan_parity", smallest=None, groups=planned.groups, needed=planned.least, can_pass=True,
            method=planned.criterion.method, enough=planned.cases, power=planned.power, rate=planned.rate,
        )  # fmt: skip
        yield RulePlan(
            suite=suite.name, rule=planned.rule.id, metric=planned.criterion.metric, limit=planned.criterion.limit,
            cases=0, can_pass=planned.least is not None, message=message,
        )  # fmt: skip


def _plan(suite: str, rule: FairnessRule, counts: Cells, criterion: Criterion) -> RulePlan:
    groups, smallest = len(counts.cells), min(cell.eligible for cell in counts.cells)
    rate = _pooled(counts)
    methods: tuple[Method, ...] = get_args(Method)
    enough = {method: cases_for_power(replace(criterion, method=method), groups, rate) for method in methods}
    can_pass = not cannot_pass(counts, criterion)
    message = sentence(
        "plan_parity", smallest=smallest, groups=groups, needed=needed_to_pass(criterion, groups), can_pass=can_pass,
        method=criterion.method, enough=enough, power=POWER, rate=rate,
    )  # fmt: skip
    return RulePlan(
        suite=suite, rule=rule.id, metric=criterion.metric, limit=criterion.limit, cases=smallest, can_pass=can_pass,
        message=message,
    )  # fmt: skip


def _pooled(counts: Cells) -> float:
    """The rate over all groups, as if they were equal: for planning only."""
    observed, events = (sum(getattr(cell, name) for cell in counts.cells) for name in ("observed", "events"))
    return events / observed if observed and 0 < events < observed else ASSUMED_RATE
