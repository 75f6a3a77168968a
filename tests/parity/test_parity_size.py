"""How many cases it takes: needed before a rule can pass, never claimed wrongly; and until it is settled."""

from itertools import product

import pytest
from test_parity_rules import CEILING, FLOOR, GAP, I, P, counts

from fairgate.parity.criterion import Criterion
from fairgate.parity.rules import decide, judge
from fairgate.parity.size import Settlement, cannot_pass, needed_to_pass, settle
from fairgate.verdict import Verdict


def of(criterion: Criterion, **changes: object) -> Criterion:
    return Criterion(**{**criterion.__dict__, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("criterion", "groups", "needed"),
    [
        (GAP, 2, 86),
        (of(GAP, limit=0.2), 2, 30),
        (of(GAP, limit=0.0), 2, None),
        (FLOOR, 4, 30),
        (of(FLOOR, limit=0.95), 4, 99),
        (of(FLOOR, limit=1.0), 4, None),
        (of(FLOOR, limit=0.0, min_cell=0), 4, 1),
        (of(CEILING, limit=0.05), 4, 99),
    ],
)
def test_needed_to_pass(criterion: Criterion, groups: int, needed: int | None) -> None:
    assert needed_to_pass(criterion, groups) == needed
    if needed is not None and needed > max(criterion.min_cell, 1):
        best = needed if criterion.bound == "min" else 0
        assert judge(counts(*[(best, needed)] * groups), criterion).verdict is P
        fewer = needed - 1
        assert judge(counts(*[(min(best, fewer), fewer)] * groups), criterion).verdict is I


@pytest.mark.parametrize("limit", [0.1, 0.3, 0.5, 0.9])
@pytest.mark.parametrize("sizes", [(3, 9), (12, 12), (5, 40), (8, 10, 12)])
def test_what_cannot_pass_does_not_pass_whatever_comes_out(limit: float, sizes: tuple[int, ...]) -> None:
    for rule in (GAP, FLOOR, CEILING):
        criterion = of(rule, limit=limit, min_cell=0)
        passes = any(
            decide(counts(*zip(events, sizes, strict=True)).cells, 0, criterion) is P
            for events in product(*(range(size + 1) for size in sizes))
        )
        if cannot_pass(counts(*((0, size) for size in sizes)), criterion):
            assert not passes
        elif rule is not GAP:
            assert passes


def test_small_cells_cannot_pass() -> None:
    assert cannot_pass(counts((0, 29), (0, 5000)), of(GAP, limit=0.9))
    assert not cannot_pass(counts((0, 29), (0, 5000), unknown=1), of(GAP, limit=0.9))
    assert cannot_pass(counts((0, 0), (0, 5000)), of(GAP, limit=0.9, min_cell=0))


@pytest.mark.parametrize(("method", "cases"), [("interval", 371), ("exact", 163)])
def test_settled_at_the_present_rates_as_a_new_file_of_that_size_would_be(method: str, cases: int) -> None:
    settlement = settle(counts((10, 100), (10, 100)), of(GAP, limit=0.1, method=method))
    assert (settlement.kind, settlement.verdict) == ("cases", P)
    one, other = settlement.more
    assert (one.more, one.cases) == (other.more, other.cases)
    assert one.more == one.cases - 100
    assert one.cases == pytest.approx(cases, rel=0.06)


def test_a_clear_difference_is_settled_as_a_failure() -> None:
    for method in ("interval", "exact"):
        settlement = settle(counts((5, 50), (15, 50)), of(GAP, method=method))
        assert settlement.verdict is Verdict.FAIL


def test_only_the_group_that_is_open_has_to_grow() -> None:
    settlement = settle(counts((420, 500), (470, 500), (470, 500), (470, 500)), FLOOR)
    assert [need.group for need in settlement.more] == [{"g": "0"}]


def test_filling_in_what_is_missing_comes_first() -> None:
    assert settle(counts((200, 2000), (188, 2000, 1880)), GAP) == Settlement("missing", P)
    assert settle(counts((200, 2000), (200, 2000), unknown=200), GAP) == Settlement("missing", P)


def test_what_nothing_practical_settles() -> None:
    assert settle(counts((0, 10_000), (500, 10_000)), GAP) == Settlement("nothing")
    assert settle(counts((0, 10, 0), (0, 10, 0)), GAP) == Settlement("nothing")


def test_a_group_nobody_has_seen_is_taken_at_the_rate_of_all() -> None:
    settlement = settle(counts((20, 200), (0, 0)), GAP)
    assert settlement.verdict is Verdict.PASS
    assert {tuple(need.group.values()) for need in settlement.more} == {("0",), ("1",)}


def test_a_group_without_a_case_is_planned_for_by_every_method_and_metric() -> None:
    for method in ("interval", "exact"):
        for criterion in (of(GAP, limit=0.1), of(GAP, metric="min_ratio", limit=0.8)):
            assert settle(counts((100, 200), (0, 0)), of(criterion, method=method)).verdict is P
