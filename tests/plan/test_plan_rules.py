"""What rules can decide at a size: against values worked out elsewhere, and against the rules themselves."""

import pytest

from fairgate.config.model import SwapRule
from fairgate.config.triad import TriadRule
from fairgate.plan.rules import answer_plan, fewest, flip_plan, gap_plan, group_plan, most
from fairgate.stats import binomial

TAIL = 0.05


@pytest.mark.parametrize(
    ("cases", "limit", "passes", "fails"),
    [
        (58, 0.05, None, 7),
        (59, 0.05, 0, 7),
        (93, 0.05, 1, 9),
        (124, 0.05, 2, 11),
        (208, 0.05, 5, 17),
        (100, 0.05, 1, 10),  # FAIL at .05: 10 of 100, 16 of 200
        (200, 0.05, 4, 16),
        (16, 0.20, 0, 7),
        (80, 1.0, 80, None),
        (80, 0.0, None, 1),
        (0, 0.05, None, None),
    ],
)
def test_flips(cases: int, limit: float, passes: int | None, fails: int | None) -> None:
    rule = SwapRule.model_validate({"id": "f", "max_flip_rate": limit})
    found = flip_plan("s", rule, cases, TAIL)
    assert (found.pass_up_to, found.fail_from, found.can_pass) == (passes, fails, passes is not None)


@pytest.mark.parametrize("bound", ["min", "max"])
@pytest.mark.parametrize("variants", [1, 2])
def test_groups_agree_with_the_bounds(bound: str, variants: int) -> None:
    rule = SwapRule.model_validate(
        {"id": "g", "rate": "selection", "attribute": "x", "worst_group": {bound: 0.4 if bound == "min" else 0.6}}
    )
    found = group_plan("s", rule, 80, variants, 2, TAIL)
    assert found.pass_up_to is not None
    assert found.fail_from is not None
    if variants == 1:  # symmetric, so floor and ceiling bear the same
        assert binomial.lower_bound(80 - found.pass_up_to, 80, TAIL) >= 0.4
        assert binomial.lower_bound(80 - found.pass_up_to - 1, 80, TAIL) < 0.4
        assert binomial.upper_bound(80 - found.fail_from, 80, TAIL / 2) < 0.4
        assert binomial.upper_bound(80 - found.fail_from + 1, 80, TAIL / 2) >= 0.4
    else:
        assert found.pass_up_to < 40 < found.fail_from


@pytest.mark.parametrize(
    ("written", "cases", "passes", "fails", "message"),
    [
        ({}, 14, 0, 1, "14 answers; passes with none below min, fails from 1 on"),
        ({"require": "pass_rate", "pass_rate": 0.9}, 50, 1, 10, "passes with up to 1 below min, fails from 10 on"),
        ({"require": "pass_rate", "pass_rate": 0.9}, 100, 4, 16, "undecided between"),
        ({"require": "pass_rate", "pass_rate": 0.9}, 20, None, 5, "20 answers; cannot pass at this size"),
        ({"require": "mean"}, 50, None, None, "passes when all score .9"),
        ({}, 0, None, None, "there is no case to judge"),
    ],
)
def test_answers(written: dict[str, object], cases: int, passes: int | None, fails: int | None, message: str) -> None:
    rule = TriadRule.model_validate({"id": "r", "metric": "faithfulness", "min": 0.85, **written})
    found = answer_plan("s", rule, cases, TAIL)
    assert (found.pass_up_to, found.fail_from) == (passes, fails)
    assert message in found.message


def test_a_mean_passes_and_fails_at_scores() -> None:
    rule = TriadRule.model_validate({"id": "r", "metric": "faithfulness", "min": 0.85, "require": "mean"})
    assert answer_plan("s", rule, 200, TAIL).can_pass
    assert not answer_plan("s", rule, 5, TAIL).can_pass


@pytest.mark.parametrize(
    ("cases", "variants", "passes", "fails"), [(59, 1, 0, 8), (58, 1, None, 8), (230, 1, 5, 19), (230, 2, 3, 23)]
)
def test_a_gap_of_a_swap_suite(cases: int, variants: int, passes: int | None, fails: int) -> None:
    rule = SwapRule.model_validate({"id": "g", "rate": "selection", "attribute": "sex", "max_group_gap": 0.05})
    plan = gap_plan("s", rule, 0.05, cases, variants, TAIL)
    assert (plan.can_pass, plan.pass_up_to, plan.fail_from) == (passes is not None, passes, fails)
    assert passes is None or "one group is preferred" in plan.message


def test_searches() -> None:
    assert [most(5, lambda n, k=k: n <= k) for k in (-1, 0, 3, 5, 9)] == [None, 0, 3, 5, 5]
    assert [fewest(5, lambda n, k=k: n >= k) for k in (0, 3, 5, 6)] == [0, 3, 5, None]
