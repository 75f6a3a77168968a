"""What the rules about a change can come to: nothing without a baseline, and what they bear beside one."""

from collections.abc import Iterator
from typing import Any

from fairgate.baseline.rules import demand, metric_of, size_problem
from fairgate.config.compared import compared_in
from fairgate.plan.forms import RulePlan
from fairgate.wording import sentence


def compared_plans(suite: Any, cases: int, confidence: float) -> Iterator[RulePlan]:
    """One plan for each rule of a suite that needs a baseline, as if the baseline had all of its cases.

    :param cases: base cases, or answers; of no matter to ``no_new_failures``, which compares rules
    """
    for rule in compared_in(suite.written_rules):
        metric, (of, limit) = metric_of(rule), demand(rule)
        count = len(suite.rules) if metric == "no_new_failures" else cases
        too_few = size_problem(cases, limit, 1 - confidence) if of == "flip_rate" else None
        message = sentence("plan_compared", metric=metric, cases=count, kind=_kind(suite), limit=limit, too_few=too_few)
        yield RulePlan(
            suite=suite.name, rule=rule.id, metric=metric, limit=limit, cases=count,
            fail_from=1 if metric != "regression" else None, pass_up_to=0 if metric != "regression" else None,
            can_pass=too_few is None and count > 0, message=message,
        )  # fmt: skip


def _kind(suite: Any) -> str:
    return "answers" if hasattr(suite, "judge") else "cases"
