"""Bands, pivotal scores and panels, each as a table; floats exactly on an edge among them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.triad.formulas import context_precision, faithfulness
from fairgate.triad.panel import clear_of_band, is_pivotal, kept, medians, settle
from fairgate.verdict import Verdict

PASS, FAIL, OPEN, REVIEW = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.82, 0.82), OPEN),  # 0.85 − 0.03 is 0.8199999999999999 in floats
        ((0.88, 0.88), OPEN),
        ((0.85 - 0.03, 0.85 - 0.03), OPEN),
        ((0.85 + 0.03, 0.85 + 0.03), OPEN),
        ((0.819999, 0.819999), FAIL),
        ((0.880001, 0.880001), PASS),
        ((0.85, 0.85), OPEN),
        ((0.9, 1.0), PASS),
        ((0.88, 1.0), OPEN),
        ((0.0, 0.8), FAIL),
        ((0.0, 0.82), OPEN),
        ((0.0, 1.0), OPEN),
    ],
)
def test_the_closed_band(interval: tuple[float, float], verdict: Verdict) -> None:
    assert clear_of_band(interval, 0.85, 0.03) is verdict


@pytest.mark.parametrize(
    ("interval", "limit", "verdict"),
    [
        ((0.85, 0.85), 0.85, PASS),
        ((0.1 + 0.2, 1), 0.3, PASS),
        ((0.3, 1), 0.1 + 0.2, PASS),
        ((0.8499, 0.8499), 0.85, FAIL),
        ((0.8, 0.9), 0.85, OPEN),
        ((0, 0.85), 0.85, OPEN),
        ((0, 0), 0.0, PASS),
        ((1, 1), 1.0, PASS),
    ],
)
def test_without_a_panel_the_limit_decides(interval: tuple[float, float], limit: float, verdict: Verdict) -> None:
    assert kept(interval, limit) is verdict


@pytest.mark.parametrize(
    ("supported", "claims", "limit", "pivotal"),
    [
        (6, 6, 0.85, True),  # 5/6 = .833 < .85 ≤ 1
        (7, 7, 0.85, False),  # 6/7 = .857 still passes
        (5, 6, 0.85, True),
        (4, 6, 0.85, False),
        (1, 1, 0.85, True),
        (0, 1, 0.85, True),
        (17, 20, 0.85, True),
        (18, 20, 0.85, False),
    ],
)
def test_pivotal_claims(supported: int, claims: int, limit: float, pivotal: bool) -> None:
    votes = [True] * supported + [False] * (claims - supported)
    assert is_pivotal(votes, limit, faithfulness) is pivotal


def test_pivotal_contexts_and_missing_verdicts() -> None:
    assert is_pivotal([True, False], 0.8, context_precision)  # (0, 0) would fail
    assert not is_pivotal([True, True, True], 0.5, context_precision)
    assert is_pivotal([None, *[True] * 5], 0.85, faithfulness)
    assert not is_pivotal([], 0.85, faithfulness)


@pytest.mark.parametrize(
    ("votes", "verdict", "reason", "majority"),
    [
        ((0.86, 0.84, 0.84), FAIL, None, (1, 2, 0)),
        ((0.86, None, 0.84), REVIEW, "panel_split", (1, 1, 1)),
        ((0.86, 0.84, None), REVIEW, "panel_split", (1, 1, 1)),
        ((None, 0.84, 0.84), FAIL, None, (0, 2, 1)),
        ((0.86, 0.86, None), PASS, None, (2, 0, 1)),
        ((0.86, 0.85, 0.1), PASS, None, (2, 1, 0)),
        ((0.9, None, None), OPEN, "panel_quorum", (1, 0, 2)),
        ((0.1, None, None), OPEN, "panel_quorum", (0, 1, 2)),
        ((None, None, None), OPEN, "panel_quorum", (0, 0, 3)),
        (((0.8, 0.9), 0.9, 0.1), REVIEW, "panel_split", (1, 1, 1)),
        (((0.8, 0.9), 0.9, 0.95), PASS, None, (2, 0, 1)),
    ],
)
def test_panel(
    votes: tuple[float | tuple[float, float] | None, ...],
    verdict: Verdict,
    reason: str | None,
    majority: tuple[int, int, int],
) -> None:
    spans = [(vote, vote) if isinstance(vote, float) else vote for vote in votes]
    found = settle(spans, 0.85)
    assert (found.verdict, found.reason, tuple(found.majority.values())) == (verdict, reason, majority)


def test_the_medians_are_those_of_every_completion() -> None:
    assert medians([(0.86, 0.86), (0.84, 0.84), None]) == (0.84, 0.86)
    assert medians([(0.9, 0.9), None, None]) == (0.0, 1.0)
    assert medians([(0.2, 0.6), (0.5, 0.5), (0.7, 0.7)]) == (0.5, 0.6)


SCORE = st.integers(0, 20).map(lambda value: (value / 20, value / 20))


@given(st.tuples(SCORE, SCORE, SCORE), st.sets(st.integers(0, 2)), st.integers(0, 20))
def test_a_hidden_vote_never_decides(votes: tuple[tuple[float, float], ...], hidden: set[int], limit: int) -> None:
    whole = settle(votes, limit / 20).verdict
    part = settle([None if at in hidden else vote for at, vote in enumerate(votes)], limit / 20).verdict
    assert part not in (PASS, FAIL) or part is whole
