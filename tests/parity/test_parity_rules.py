"""From counts to a verdict, as tables; and the law on counts alone, where many draws are cheap."""

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairgate.parity.cells import Cell, Cells, Outside
from fairgate.parity.criterion import Criterion
from fairgate.parity.intervals import intervals
from fairgate.parity.rules import decide, judge, left_out_too_many
from fairgate.verdict import Verdict

P, F, I = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE  # noqa: E741

GAP = Criterion("max_group_gap", None, 0.05, 30, 0.1, 0.95)
FLOOR = Criterion("worst_group", "min", 0.8, 30, 0.1, 0.95)
CEILING = Criterion("worst_group", "max", 0.2, 30, 0.1, 0.95)

Numbers = tuple[int, ...]


def counts(*cells: Numbers, unknown: int = 0, blank: int = 0, undeclared: int = 0) -> Cells:
    """Cells from (events, eligible) or (events, eligible, observed)."""
    built = tuple(
        Cell({"g": str(i)}, eligible, observed[0] if observed else eligible, events)
        for i, (events, eligible, *observed) in enumerate(cells)
    )
    rows = sum(cell.eligible for cell in built) + blank + undeclared
    return Cells(built, Outside(rows, blank, undeclared, Counter(), 0, rows), unknown)


@pytest.mark.parametrize(
    ("criterion", "given_counts", "verdict", "reasons"),
    [
        (GAP, counts((200, 2000), (200, 2000)), P, ["within_limit"]),
        (GAP, counts((10, 100), (10, 100)), I, ["interval_straddles_limit"]),
        (GAP, counts((50, 500), (150, 500)), F, ["beyond_limit"]),
        (GAP, counts((200, 2000), (188, 2000, 1880)), I, ["interval_straddles_limit", "missing_predictions"]),
        (GAP, counts((200, 2000), (200, 2000), unknown=200), I, ["interval_straddles_limit", "missing_rows"]),
        (GAP, counts((200, 2000), (200, 2000), blank=400, undeclared=44), P, ["within_limit"]),
        (GAP, counts((200, 2000), (200, 2000), blank=400, undeclared=45), I, ["too_many_left_out"]),
        (GAP, counts((200, 2000), (900, 2000), blank=500), I, ["too_many_left_out"]),
        (GAP, counts((200, 2000), (900, 2000), unknown=500), I, ["too_many_left_out"]),
        (GAP, counts((100, 1000), (24, 25)), F, ["beyond_limit"]),
        (GAP, counts((0, 1000), (0, 0)), I, ["interval_straddles_limit", "absent_group"]),
        (replace(GAP, limit=0.3), counts((0, 1000), (0, 25)), I, ["small_cell"]),
        (replace(GAP, limit=0.3, min_cell=25), counts((0, 1000), (0, 25)), P, ["within_limit"]),
        (replace(GAP, limit=1.0, min_cell=0), counts((0, 10), (0, 0)), I, ["absent_group"]),
        (replace(GAP, limit=1.0, min_cell=0), counts((0, 10), (1, 1)), P, ["within_limit"]),
        (FLOOR, counts((423, 500), (450, 500), (450, 500), (450, 500)), P, ["within_limit"]),
        (FLOOR, counts((422, 500), (450, 500), (450, 500), (450, 500)), I, ["interval_straddles_limit"]),
        (FLOOR, counts((376, 500), (450, 500), (450, 500), (450, 500)), F, ["beyond_limit"]),
        (FLOOR, counts((377, 500), (450, 500), (450, 500), (450, 500)), I, ["interval_straddles_limit"]),
        (CEILING, counts((77, 500), (50, 500), (50, 500), (50, 500)), P, ["within_limit"]),
        (CEILING, counts((78, 500), (50, 500), (50, 500), (50, 500)), I, ["interval_straddles_limit"]),
        (CEILING, counts((124, 500), (50, 500), (50, 500), (50, 500)), F, ["beyond_limit"]),
    ],
)
def test_verdict_and_reasons(criterion: Criterion, given_counts: Cells, verdict: Verdict, reasons: list[str]) -> None:
    judgement = judge(given_counts, criterion)
    assert (judgement.verdict, list(judgement.reasons)) == (verdict, reasons)


def test_unknown_rows_may_belong_to_every_group() -> None:
    cells = counts((200, 2000), (200, 2000)).cells
    for lower, upper in intervals(cells, 20, GAP.tail(2)):
        assert lower == pytest.approx(0.084615, abs=1e-6)
        assert upper == pytest.approx(0.125419, abs=1e-6)


@pytest.mark.parametrize(
    ("left_out", "rows", "unknown", "limit", "over"),
    [
        (450, 4500, 0, 0.1, False),
        (451, 4500, 0, 0.1, True),
        (3, 30, 0, 0.1, False),  # 0.1 * 30 is 3.0000000000000004 in floats of some orders: decimals decide
        (29, 100, 0, 0.29, False),  # 0.29 * 100 is 28.999999999999996 in floats
        (0, 90, 10, 0.1, False),
        (0, 89, 10, 0.1, True),
        (1, 1_000_000, 0, 0.0, True),
        (1, 100_000, 0, 1e-05, False),
    ],
)
def test_left_out_in_exact_decimals(left_out: int, rows: int, unknown: int, limit: float, over: bool) -> None:
    outside = Outside(rows, left_out, 0, Counter(), 0, rows)
    assert left_out_too_many(outside, unknown, limit) is over


def test_the_widest_pair_is_shown_and_a_failure_rests_on_the_pair_furthest_apart() -> None:
    judgement = judge(counts((100, 1000), (300, 1000), (1, 4)), replace(GAP, min_cell=0))
    assert judgement.verdict is F
    assert judgement.measured.widest is not None
    assert judgement.measured.apart is not None
    assert (judgement.measured.widest.first, judgement.measured.widest.second) == (0, 2)
    assert (judgement.measured.apart.first, judgement.measured.apart.second) == (0, 1)


def test_the_worst_group_is_the_one_that_fails_not_the_one_that_is_unknown() -> None:
    judgement = judge(counts((3, 4), (300, 500), (480, 500)), FLOOR)
    assert judgement.measured.worst == 1
    assert judgement.measured.verdicts == (I, F, P)


def test_a_small_group_is_not_said_to_pass() -> None:
    assert judge(counts((29, 29), (500, 500)), replace(FLOOR, limit=0.5)).measured.verdicts == (I, P)


def draw(chance: random.Random) -> Cells:
    cells = []
    for _ in range(chance.choice([2, 2, 3, 6])):
        eligible = chance.choice([0, 5, 40, 400, 4000])
        observed = eligible - int(eligible * chance.choice([0, 0, 0.02, 0.5]))
        cells.append((int(observed * chance.choice([0, 0.02, 0.1, 0.5, 0.98, 1])), eligible, observed))
    known = sum(eligible for _, eligible, _ in cells)
    blank = int(known * chance.choice([0, 0, 0.05, 0.2]))
    if not known + blank:
        return draw(chance)
    return counts(*cells, blank=blank, unknown=int(known * chance.choice([0, 0, 0.01, 0.2])))


def hide(given_counts: Cells, chance: random.Random) -> Cells:
    """Some predictions gone, and some rows of which only the number stays known: events only, others only, or any."""
    cells, gone = [], 0
    for cell in given_counts.cells:
        events, others, blanks = cell.events, cell.observed - cell.events, cell.missing
        lost_events = int(events * chance.choice([0, 0, 0.02, 0.3, 1]))
        lost_others = int(others * chance.choice([0, 0, 0.02, 0.3, 1]))
        rows = chance.choice([0, 1, chance.random()])  # the share of what is lost that goes with its whole row
        absent = int(lost_events * rows) + int(lost_others * rows)
        gone += absent
        observed = events - lost_events + others - lost_others
        cells.append((events - lost_events, observed + blanks + lost_events + lost_others - absent, observed))
    blank = int(given_counts.outside.blank * chance.choice([1, 1, 0.5]))
    gone += given_counts.outside.blank - blank
    return counts(*cells, blank=blank, unknown=given_counts.unknown + gone)


def close_limit(given_counts: Cells, criterion: Criterion, chance: random.Random) -> float:
    """A limit near to which the decision lies, where an error of the smallest kind changes it."""
    judgement = judge(given_counts, criterion)
    ends = [end for span in judgement.measured.spans for end in span]
    if judgement.measured.widest is not None and judgement.measured.apart is not None:
        ends = [judgement.measured.widest.upper, judgement.measured.widest.upper, judgement.measured.apart.lower]
    return min(1.0, max(0.0, chance.choice(ends) * chance.choice([0.9, 0.99, 0.999, 1, 1.001, 1.01, 1.1])))


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32).map(random.Random), st.sampled_from([GAP, FLOOR, CEILING]))
def test_missing_evidence_never_improves_a_verdict(chance: random.Random, criterion: Criterion) -> None:
    before = draw(chance)
    criterion = replace(criterion, min_cell=chance.choice([0, 1, 30]), max_left_out=chance.choice([0.1, 0.5]))
    criterion = replace(criterion, limit=close_limit(before, criterion, chance))
    after = hide(before, chance)
    if not after.outside.rows:
        return
    one, other = judge(before, criterion).verdict, judge(after, criterion).verdict
    assert other in (one, I)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32).map(random.Random), st.sampled_from([GAP, FLOOR, CEILING]))
def test_the_short_way_to_a_verdict_agrees_with_the_long_one(chance: random.Random, criterion: Criterion) -> None:
    drawn = draw(chance)
    judgement = judge(drawn, replace(criterion, max_left_out=1.0))
    assert decide(drawn.cells, drawn.unknown, criterion) == judgement.verdict
