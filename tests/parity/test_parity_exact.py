"""The exact method: reference values, what is worst where evidence is missing, the law, and ratios."""

import random
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_parity_rules import CEILING, FLOOR, GAP, F, I, P, counts, hide

from fairgate.parity import exact, intervals
from fairgate.parity.cells import Cell, Cells
from fairgate.parity.criterion import Criterion
from fairgate.parity.rules import Contest, confirm_failures, decide, judge
from fairgate.parity.size import cannot_pass
from fairgate.stats.difference import Sample
from fairgate.verdict import Verdict

EXACT = replace(GAP, method="exact", limit=0.1)
RATIO = Criterion("min_ratio", None, 0.8, 30, 0.1, 0.95)
EXACT_RATIO = replace(RATIO, method="exact")
EXACT_FLOOR = replace(FLOOR, method="exact")


@pytest.mark.parametrize(
    ("criterion", "given_counts", "verdict"),
    [
        (EXACT, counts((22, 200), (18, 200)), P),  # .006024, .000128; the intervals leave it open
        (replace(EXACT, method="interval"), counts((22, 200), (18, 200)), I),
        (EXACT, counts((22, 204, 200), (18, 200)), P),
        (EXACT, counts((10, 100), (10, 100)), P),  # .013992
        (EXACT, counts((18, 150), (15, 120)), P),
        (replace(EXACT, limit=0.05), counts((0, 59), (0, 59)), P),  # .048495
        (replace(EXACT, limit=0.05), counts((0, 58), (0, 58)), I),
        (EXACT, counts((60, 200), (20, 200)), F),  # .009508 <= .025
        (EXACT, counts((15, 50), (3, 50)), I),  # .033506
        (EXACT, counts((10, 200), (12, 200), (50, 200)), F),  # .002916 <= .05 / 6
        (EXACT_FLOOR, counts((416, 500), (450, 500), (450, 500), (450, 500)), P),
        (EXACT_FLOOR, counts((415, 500), (450, 500), (450, 500), (450, 500)), I),
        (EXACT_FLOOR, counts((379, 500), (450, 500), (450, 500), (450, 500)), F),
        (EXACT_FLOOR, counts((380, 500), (450, 500), (450, 500), (450, 500)), I),
        (EXACT_RATIO, counts((14, 14), (14, 14)), I),  # .8^14 = .043980 is enough, min_cell is not
        (replace(EXACT_RATIO, min_cell=0), counts((14, 14), (14, 14)), P),
        (replace(EXACT_RATIO, min_cell=0), counts((13, 13), (13, 13)), I),
        (RATIO, counts((900, 1000), (880, 1000)), P),
        (RATIO, counts((300, 1000), (600, 1000)), F),
        (EXACT_RATIO, counts((300, 1000), (600, 1000)), F),
        (EXACT_RATIO, counts((50, 100), (55, 100)), I),
    ],
)
def test_verdicts(criterion: Criterion, given_counts: Cells, verdict: Verdict) -> None:
    assert decide(given_counts.cells, given_counts.unknown, criterion) is verdict


def test_holm_names_further_pairs() -> None:
    measured = judge(counts((10, 200), (12, 200), (50, 200)), EXACT).measured
    assert measured.apart is not None
    assert (measured.apart.first, measured.apart.second) == (0, 2)
    assert measured.further == ((2, 1),)


def test_the_shown_bounds_decide() -> None:
    for cells in (counts((22, 200), (18, 200)), counts((60, 200), (20, 200)), counts((15, 50), (3, 50))):
        judgement = judge(cells, EXACT)
        pair = judgement.measured.apart or judgement.measured.widest
        assert pair is not None
        assert (pair.upper <= EXACT.limit) == (judgement.verdict is P)
        assert (pair.lower > EXACT.limit) == (judgement.verdict is F)
        assert judgement.measured.method == "exact"


def given_prediction(observed: int, events: int, may: int, may_not: int) -> Cell:
    return Cell({"g": str(events)}, observed + may + may_not, observed, events, (may, may_not))


def test_every_way_to_fill_in_what_may_or_may_not_be_counted() -> None:
    cell = given_prediction(10, 4, 1, 2)
    assert (cell.lowest(0), cell.highest(0)) == (Sample(4, 12), Sample(5, 11))
    assert list(cell.completions(0)) == [
        (Sample(4, 10), Sample(4, 10)),
        (Sample(4, 11), Sample(5, 11)),
        (Sample(4, 12), Sample(5, 12)),
        (Sample(5, 13), Sample(5, 13)),
    ]
    assert [most for _, most in counts((4, 12, 10)).cells[0].completions(1)] == [Sample(6, 12), Sample(7, 13)]


def test_with_too_many_ways_to_fill_in_the_intervals_decide() -> None:
    cells = counts((200, 2000), (200, 2000), unknown=20)
    judgement = judge(cells, EXACT)
    assert (judgement.verdict, judgement.measured.method) == (P, "interval")
    assert judgement.measured == judge(cells, replace(EXACT, method="interval")).measured


@pytest.mark.parametrize("limit", [0.3, 0.6])
@pytest.mark.parametrize("sizes", [(6, 6), (3, 9)])
def test_the_tests_pass_and_fail_whatever_the_intervals_do(limit: float, sizes: tuple[int, int]) -> None:
    for metric, level in (("max_group_gap", limit), ("min_ratio", 1 - limit)):
        criterion = replace(EXACT, metric=metric, limit=level)
        for events in product(*(range(size + 1) for size in sizes)):
            cells = counts(*zip(events, sizes, strict=True)).cells
            by_intervals = intervals.decide(cells, 0, criterion)
            assert by_intervals is I or exact.decide(cells, 0, criterion) is by_intervals, events


@pytest.mark.parametrize("limit", [0.15, 0.3, 0.6])
@pytest.mark.parametrize("sizes", [(5, 5), (8, 8), (12, 3)])
def test_what_cannot_pass_does_not_pass_whatever_comes_out(limit: float, sizes: tuple[int, int]) -> None:
    for metric, level in (("max_group_gap", limit), ("min_ratio", 1 - limit)):
        criterion = replace(EXACT, metric=metric, limit=level, min_cell=0)
        if cannot_pass(counts(*((0, size) for size in sizes)), criterion):
            for events in product(*(range(size + 1) for size in sizes)):
                assert decide(counts(*zip(events, sizes, strict=True)).cells, 0, criterion) is not P


def draw_few(chance: random.Random) -> Cells:
    cells = []
    for _ in range(chance.choice([2, 2, 3])):
        eligible = chance.choice([0, 3, 12, 25])
        observed = eligible - int(eligible * chance.choice([0, 0, 0.1]))
        cells.append((round(observed * chance.choice([0, 0.1, 0.5, 0.9, 1])), eligible, observed))
    return counts(*cells, unknown=chance.choice([0, 0, 1])) if any(cell[1] for cell in cells) else draw_few(chance)


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 2**32).map(random.Random),
    st.sampled_from([EXACT, EXACT_RATIO, EXACT_FLOOR, replace(CEILING, method="exact"), RATIO]),
)
def test_missing_evidence_never_improves_a_verdict(chance: random.Random, criterion: Criterion) -> None:
    before = draw_few(chance)
    after = hide(before, chance)
    criterion = replace(criterion, min_cell=0, max_left_out=1.0, limit=chance.choice([0.2, 0.35, 0.5, 0.7]))
    if after.outside.rows:
        one, other = (decide(each.cells, each.unknown, criterion) for each in (before, after))
        assert other in (one, I)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32).map(random.Random), st.sampled_from([EXACT, replace(EXACT, method="interval")]))
def test_hiding_predictions_of_rates_given_a_prediction_never_improves_a_verdict(
    chance: random.Random, criterion: Criterion
) -> None:
    criterion = replace(criterion, limit=chance.choice([0.2, 0.35, 0.5]), min_cell=0)
    before, after = [], []
    for _ in range(2):
        events, others = chance.randint(0, 15), chance.randint(0, 15)
        lost_events, lost_others = (chance.choice([0, 0, 1, count // 3]) if count else 0 for count in (events, others))
        elsewhere = chance.choice([0, 0, 1])  # hidden, too, and predicted 0 before
        lost_events, lost_others = min(lost_events, events), min(lost_others, others)
        before.append(given_prediction(events + others, events, 0, 0))
        seen = events - lost_events
        after.append(given_prediction(seen + others - lost_others, seen, lost_events, lost_others + elsewhere))
    one, other = (decide(cells, 0, criterion) for cells in (before, after))
    assert other in (one, I)


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 2**32).map(random.Random))
def test_a_looser_limit_never_hurts_and_order_does_not_matter(chance: random.Random) -> None:
    drawn = draw_few(chance)
    order = {F: 0, I: 1, P: 2}
    for criterion, steps in ((EXACT, (0.05, 0.2, 0.3, 0.6, 1.0)), (EXACT_RATIO, (1.0, 0.8, 0.7, 0.4, 0.0))):
        reached = [decide(drawn.cells, drawn.unknown, replace(criterion, limit=limit)) for limit in steps]
        assert all(order[tight] <= order[loose] for tight, loose in pairwise(reached))
        one, other = (decide(each, drawn.unknown, criterion) for each in (drawn.cells, drawn.cells[::-1]))
        assert one is other


def test_holm_over_the_rules_keeps_only_failures_that_stand_together() -> None:
    # close: .009508 among 2 tests, .019016 for the rule: within .05 and .05 / 2, beyond .05 / 3
    tables = {
        "sure": counts((2, 60), (50, 60)),
        "close": counts((60, 200), (20, 200)),
        "fine": counts((9, 90), (9, 90)),
    }
    contests = {name: Contest(cells, EXACT, judge(cells, EXACT)) for name, cells in tables.items()}
    for names, expected in (
        (["close"], [F]),
        (["close", "fine"], [F, P]),
        (["close", "fine", "fine"], [I, P, P]),
        (["close", "sure", "fine"], [F, F, P]),
        (["sure", "sure", "sure"], [F, F, F]),
    ):
        confirmed = confirm_failures([contests[name] for name in names])
        assert [judgement.verdict for judgement in confirmed] == expected, names
