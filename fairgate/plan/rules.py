"""What the rules of swap and rag suites can come to at their size: how many cases against them they bear."""

from collections.abc import Callable, Iterator, Sequence
from math import prod

from fairgate.config.model import HarnessSuite, RagSuite, SwapRule, SwapSuite, TriadRule
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.golden.rag import Sample
from fairgate.plan.forms import RulePlan
from fairgate.stats import binomial, bounded_mean
from fairgate.swap import harness
from fairgate.swap.gaps import Difference
from fairgate.swap.noise import Excess, measure
from fairgate.swap.noise_rule import axis_of
from fairgate.swap.rules import floor_or_ceiling
from fairgate.swap.selection import Sample as Outcomes
from fairgate.swap.suite import Evidence as Expected
from fairgate.triad.evidence import Evidence
from fairgate.triad.scores import expected_of
from fairgate.wording import sentence

_STEPS = 1000
"""Scores are searched to a thousandth."""


def swap_plans(suite: SwapSuite, project: Project, where: Where, confidence: float) -> Iterator[RulePlan]:
    """One plan for each rule of a swap suite.

    :raises FairgateError: the golden file cannot be used
    """
    bases, variants = harness.size(suite, project, where)
    for rule in suite.rules:
        if rule.max_flip_rate is not None:
            yield flip_plan(suite.name, rule, bases, 1 - confidence)
            continue
        if rule.max_excess_flip_rate is not None:
            assert isinstance(suite, HarnessSuite)  # noqa: S101 - refused of decisions made elsewhere
            yield excess_plan(suite.name, rule, harness.expected(suite, project, where), 1 - confidence)
            continue
        attribute = rule.attribute or list(suite.axes)
        if rule.gap is not None:
            yield gap_plan(suite.name, rule, rule.gap, bases, variants(attribute), 1 - confidence)
        else:
            groups = prod(len(suite.axes[axis]) for axis in attribute)
            yield group_plan(suite.name, rule, bases, variants(attribute), groups, 1 - confidence)


def flip_plan(suite: str, rule: SwapRule, bases: int, tail: float) -> RulePlan:
    """How many of so many bases may flip."""
    limit = rule.max_flip_rate or 0.0
    passes = most(bases, lambda flips: binomial.upper_bound(flips, bases, tail) <= limit)
    fails = fewest(bases, lambda flips: binomial.lower_bound(flips, bases, tail) > limit)
    message = sentence("plan_rule", kind="flips", cases=bases, passes=passes, fails=fails)
    return _plan(suite, rule.id, "flip_rate", limit, bases, passes, fails, message)


def excess_plan(suite: str, rule: SwapRule, expected: Expected, tail: float) -> RulePlan:
    """In how many of the bases the swap may divide the answers as evenly as it can, where the system has no noise."""
    limit = rule.max_excess_flip_rate or 0.0
    assert expected.control is not None  # noqa: S101 - the configuration asks for one
    found = measure(expected.grid, expected.control, axis_of(rule)).excess

    def divided(times: int) -> Excess:
        most = found.scale.highest
        return Excess(found.scale, {(most, most): times, (0, 0): found.bases - times})

    passes = most(found.bases, lambda times: divided(times).is_within(limit, tail))
    fails = fewest(found.bases, lambda times: divided(times).is_beyond(limit, tail))
    message = sentence("plan_rule", kind="excess", cases=found.bases, passes=passes, fails=fails)
    return _plan(suite, rule.id, "excess_flip_rate", limit, found.bases, passes, fails, message)


def gap_plan(  # noqa: PLR0913, PLR0917 - the rule and its size
    suite: str, rule: SwapRule, limit: float, bases: int, variants: int, tail: float
) -> RulePlan:
    """In how many of so many bases one of two groups may be preferred (or refused an answer), and the other never.

    :param variants: expected outcomes of a group in each base
    """

    def preferred(times: int) -> Difference:
        return Difference(0, 1, {(1.0, 1.0): times, (0.0, 0.0): bases - times}, exact=variants == 1)

    passes = most(bases, lambda times: preferred(times).is_within(limit, tail))
    fails = fewest(bases, lambda times: preferred(times).is_beyond(limit, tail / 2))
    kind, metric = ("refusals", "max_refusal_gap") if rule.of_refusals else ("gap", "max_group_gap")
    message = sentence("plan_rule", kind=kind, cases=bases, passes=passes, fails=fails)
    return _plan(suite, rule.id, metric, limit, bases, passes, fails, message)


def group_plan(  # noqa: PLR0913, PLR0917 - the rule and its size
    suite: str, rule: SwapRule, bases: int, variants: int, groups: int, tail: float
) -> RulePlan:
    """In how many of so many bases a group may go against its floor or ceiling, all its variants alike in each.

    :param variants: expected outcomes of a group in each base
    """
    bound, limit = floor_or_ceiling(rule)

    def outcomes(against: int) -> Outcomes:
        positive = bases - against if bound == "min" else against
        return Outcomes({}, variants, {(variants, 0): positive, (0, 0): bases - positive})

    if bound == "min":
        passes = most(bases, lambda against: outcomes(against).lower(tail) >= limit)
        fails = fewest(bases, lambda against: outcomes(against).upper(tail / groups) < limit)
    else:
        passes = most(bases, lambda against: outcomes(against).upper(tail) <= limit)
        fails = fewest(bases, lambda against: outcomes(against).lower(tail / groups) > limit)
    message = sentence(
        "plan_rule", kind="floor" if bound == "min" else "ceiling", cases=bases, passes=passes, fails=fails
    )
    return _plan(suite, rule.id, "worst_group", limit, bases, passes, fails, message)


def rag_plans(suite: RagSuite, samples: Sequence[Sample], confidence: float) -> Iterator[RulePlan]:
    """One plan for each rule of a rag suite, over the cases that its metric is expected of."""
    for rule in suite.rules:
        cases = len(expected_of(rule.metric, Evidence(suite, samples)))
        yield answer_plan(suite.name, rule, cases, 1 - confidence)


def answer_plan(suite: str, rule: TriadRule, cases: int, tail: float) -> RulePlan:
    """How many of so many answers may fall short; for a mean, where the scores have to lie."""
    if rule.require == "mean":
        return _mean_plan(suite, rule, cases, tail)
    if rule.require == "all":
        passes, fails = (0, 1) if cases else (None, None)
    else:
        share = rule.pass_rate or 0.0
        passes = most(cases, lambda short: binomial.lower_bound(cases - short, cases, tail) >= share)
        fails = fewest(cases, lambda short: binomial.upper_bound(cases - short, cases, tail) < share)
    message = sentence("plan_rule", kind="answers", cases=cases, passes=passes, fails=fails)
    return _plan(suite, rule.id, rule.metric, rule.min, cases, passes, fails, message)


def _mean_plan(suite: str, rule: TriadRule, cases: int, tail: float) -> RulePlan:
    """If every answer scored the same: from which score on the rule passes, and below which it fails."""
    lowest = fewest(_STEPS, lambda step: bounded_mean.lower_bound({step / _STEPS: cases}, tail) >= rule.min)
    highest = most(_STEPS, lambda step: bounded_mean.upper_bound({step / _STEPS: cases}, tail) < rule.min)
    passes, fails = (None if step is None else step / _STEPS for step in (lowest, highest))
    can_pass = cases > 0 and passes is not None
    message = sentence("plan_rule", kind="mean", cases=cases, passes=passes if cases else None, fails=fails)
    return RulePlan(
        suite=suite, rule=rule.id, metric=rule.metric, limit=rule.min, cases=cases, can_pass=can_pass, message=message
    )


def most(cases: int, holds: Callable[[int], bool]) -> int | None:
    """The largest number from 0 to ``cases`` that holds; None when not even 0 does. What holds holds below, too."""
    if cases < 1 or not holds(0):
        return None
    above = fewest(cases, lambda number: not holds(number))
    return cases if above is None else above - 1


def fewest(cases: int, holds: Callable[[int], bool]) -> int | None:
    """The smallest number from 0 to ``cases`` that holds; None when none does. What holds holds above, too."""
    if cases < 1 or not holds(cases):
        return None
    low, high = -1, cases
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _plan(  # noqa: PLR0913, PLR0917 - one for each field
    suite: str, rule: str, metric: str, limit: float, cases: int, passes: int | None, fails: int | None, message: str
) -> RulePlan:
    return RulePlan(
        suite=suite, rule=rule, metric=metric, limit=limit, cases=cases, pass_up_to=passes, fail_from=fails,
        can_pass=passes is not None, message=message,
    )  # fmt: skip
