"""How numbers read."""

import pytest

from fairgate.wording import numbers


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (None, "–"),
        (0.155, "15.5 %"),
        (0.05, "5 %"),
        (0, "0 %"),
        (1, "100 %"),
        (0.9999, "> 99.9 %"),
        (0.0001, "< 0.1 %"),
    ],
)
def test_percent(rate: float | None, text: str) -> None:
    assert numbers.percent(rate) == text


@pytest.mark.parametrize(
    ("rate", "limit", "text"),
    [
        (0.0504, 0.05, "5.04 %"),
        (0.049999, 0.05, "4.9999 %"),
        (0.05, 0.05, "5 %"),
        (0.155, 0.05, "15.5 %"),
        (0.05 + 1e-12, 0.05, "5 %"),
        (0.00001, 0.0, "< 0.1 %"),
    ],
)
def test_a_rate_is_kept_apart_from_the_limit_beside_it(rate: float, limit: float, text: str) -> None:
    assert numbers.percent(rate, beside=limit) == text


@pytest.mark.parametrize(
    ("difference", "text"),
    [(None, "–"), (0.168, "16.8 points"), (0.01, "1 point"), (0, "0 points"), (1e-5, "< 0.1 points")],
)
def test_points(difference: float | None, text: str) -> None:
    assert numbers.points(difference) == text


def test_interval_count_plural_group() -> None:
    assert numbers.interval((0.114465, 0.203405)) == "11.4 to 20.3"
    assert numbers.count(12345) == "12,345"
    assert [numbers.plural(number, "case", "cases") for number in (0, 1, 2)] == ["0 cases", "1 case", "2 cases"]
    assert numbers.group({"sex": "female", "age": "under_30"}) == "female × under_30"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (0.0, "0"),
        (1.0, "1"),
        (7 / 12, ".58"),
        (0.8, ".80"),
        (0.999, "> .99"),
        (0.001, "< .01"),
        (0.005, ".01"),
    ],
)
def test_a_score_never_rounds_onto_a_bound_it_did_not_reach(value: float | None, text: str) -> None:
    assert numbers.score(value) == text


def test_a_score_is_kept_apart_from_the_limit_beside_it() -> None:
    assert numbers.score(0.8496, beside=0.85) == ".8496"
    assert numbers.score(0.85, beside=0.85) == ".85"
