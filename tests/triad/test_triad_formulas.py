"""The three formulas as tables, and missing verdicts held against every completion of them."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairgate.triad.formulas import answer_relevance, context_precision, faithfulness

SIGNS = {"+": True, "-": False, "?": None}


def votes(drawing: str) -> list[bool | None]:
    return [SIGNS[sign] for sign in drawing]


@pytest.mark.parametrize(
    ("drawing", "interval"),
    [
        ("+", (1, 1)),
        ("-", (0, 0)),
        ("?", (0, 1)),
        ("+-", (0.5, 0.5)),
        ("+++-", (0.75, 0.75)),
        ("++?-", (0.5, 0.75)),
        ("??", (0, 1)),
    ],
)
def test_faithfulness(drawing: str, interval: tuple[float, float]) -> None:
    assert faithfulness(votes(drawing)) == interval


@pytest.mark.parametrize(
    ("drawing", "interval"),
    [
        ("+", (1, 1)),
        ("-", (0, 0)),
        ("---", (0, 0)),  # no relevant context
        ("+++", (1, 1)),
        ("-++", ((1 / 2 + 2 / 3) / 2,) * 2),
        ("+-+", ((1 + 2 / 3) / 2,) * 2),
        ("--+", (1 / 3, 1 / 3)),
        ("+?-", (1, 1)),  # not monotone: the missing verdict is of no matter
        ("+-?", (5 / 6, 1)),
        ("?", (0, 1)),
        ("-?", (0, 0.5)),
        ("?-", (0, 1)),
    ],
)
def test_context_precision(drawing: str, interval: tuple[float, float]) -> None:
    assert context_precision(votes(drawing)) == pytest.approx(interval, abs=1e-12)


def plain_precision(verdicts: tuple[bool, ...]) -> float:
    """The formula as it is written."""
    at = [sum(verdicts[: k + 1]) / (k + 1) for k in range(len(verdicts))]
    return sum(p for p, v in zip(at, verdicts, strict=True) if v) / sum(verdicts) if any(verdicts) else 0.0


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=9))
def test_context_precision_is_the_range_over_all_completions(found: list[bool | None]) -> None:
    completions = product(*[[True, False] if vote is None else [vote] for vote in found])
    scores = [plain_precision(completion) for completion in completions]
    assert context_precision(found) == pytest.approx((min(scores), max(scores)), abs=1e-12)


def test_context_precision_of_many_missing_verdicts_is_exact_and_quick() -> None:
    low, high = context_precision([True, *[None] * 200])
    assert high == 1
    assert 0 < low < 1


@pytest.mark.parametrize(
    ("cosines", "score"), [([0.9, 0.8, 0.7], 0.8), ([-0.5, 0.1, 0.1], 0.0), ([1.0000001] * 3, 1.0), ([0.25], 0.25)]
)
def test_answer_relevance(cosines: list[float], score: float) -> None:
    assert answer_relevance(cosines) == pytest.approx(score)


@pytest.mark.parametrize("formula", [faithfulness, context_precision, answer_relevance])
def test_nothing_has_no_score(formula: object) -> None:
    with pytest.raises(ValueError, match=r"without|claims"):
        formula([])  # type: ignore[operator]
