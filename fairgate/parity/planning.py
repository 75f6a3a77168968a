"""Before any data exist: how many cases a fairness rule will need."""

from dataclasses import dataclass, replace
from typing import get_args

from fairgate.config.model import FairnessRule, FairnessSuite
from fairgate.parity.criterion import Criterion, Method, criterion_of
from fairgate.parity.power import Prospect, chance
from fairgate.parity.size import POWER, aim, enough, needed_to_pass
from fairgate.verdict import Verdict

BASE_RATE = 0.1


@dataclass(frozen=True)
class RulePlan:
    """What one rule will need to PASS.

    :param groups: how many groups it compares
    :param rate: the rate that is assumed to be true in every group, in [0, 1]
    :param least: cases in each of these groups, of equal size, without which it cannot pass; None where none suffice
    :param cases: method to cases in each group, of equal size, with which it passes with a chance of ``power``; counted
        in the rate's denominator. None where no practical number suffices
    """

    rule: FairnessRule
    criterion: Criterion
    groups: int
    rate: float
    power: float
    least: int | None
    cases: dict[Method, int | None]


def plan_fairness(suite: FairnessSuite, confidence: float, base_rate: float = BASE_RATE) -> list[RulePlan]:
    """How many cases each rule of a suite needs, per group, if every group has the same rate. No data are read.

    :param confidence: 1 − α of each rule
    :param base_rate: the assumed rate. Where it would not keep a floor or a ceiling, the rate half way between the
        limit and the best one stands in, and is told in ``rate``
    """
    return [_plan(suite, rule, criterion_of(suite, rule, confidence), base_rate) for rule in suite.rules]


def _plan(suite: FairnessSuite, rule: FairnessRule, criterion: Criterion, base_rate: float) -> RulePlan:
    groups = 1
    for name in rule.attribute:
        groups *= len(suite.attributes[name])
    rate = base_rate
    if criterion.metric == "worst_group" and aim([rate], criterion) is not Verdict.PASS:
        rate = (criterion.limit + (1 if criterion.bound == "min" else 0)) / 2
    methods: tuple[Method, ...] = get_args(Method)
    return RulePlan(
        rule=rule,
        criterion=criterion,
        groups=groups,
        rate=rate,
        power=POWER,
        least=needed_to_pass(criterion, groups),
        cases={method: cases_for_power(replace(criterion, method=method), groups, rate) for method in methods},
    )


def cases_for_power(criterion: Criterion, groups: int, rate: float) -> int | None:
    """Cases in each of so many equal groups with which the rule passes with ``POWER``; None beyond any number.

    :param rate: of events, the same in every group
    """
    least = needed_to_pass(criterion, groups)
    if least is None or aim([rate] * groups, criterion) is not Verdict.PASS:
        return None

    def likely(size: int) -> bool:
        return chance([Prospect(rate, size)] * groups, criterion, Verdict.PASS) >= POWER

    size = enough(likely, least)
    return None if size is None else max(size, criterion.min_cell)
