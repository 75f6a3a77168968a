"""How well features tell a level: right by brute force, and honest where there is nothing to tell."""

import random
from math import log

import pytest

from fairgate.stats.prediction import Prediction, predict


def brute_force(features: list[set[str]], levels: list[str]) -> float:
    """Leave-one-out naive Bayes, case by case, as the docstring of the module has it."""
    names = sorted(set(levels))
    right = 0.0
    for case, truth in zip(features, levels, strict=True):
        scores = {}
        for level in names:
            inside = [other for other, one in zip(features, levels, strict=True) if one == level]
            score = log(len(inside))
            for name in case:
                have = sum(name in other for other in features)
                if 1 < have < len(features):
                    count = sum(name in other for other in inside) - (level == truth)
                    score += log((count + 0.5) / (len(inside) + 1))
            scores[level] = score
        most = max(scores.values())
        tied = [level for level in names if scores[level] >= most - 1e-9]
        right += (truth in tied) / len(tied)
    return right / len(levels)


@pytest.mark.parametrize("seed", range(5))
def test_guesses_are_those_of_naive_bayes(seed: int) -> None:
    chance = random.Random(seed)
    levels = [chance.choice("abc" if seed % 2 else "ab") for _ in range(40)]
    features = [{f"={chance.randrange(6)}", f"w{chance.randrange(9)}", "everybody"} for _ in levels]
    assert predict(features, levels).right == pytest.approx(brute_force(features, levels))


def test_a_field_that_tells_the_level_is_found() -> None:
    chance = random.Random(1)
    levels = [chance.choice(["f", "m"]) for _ in range(80)]
    features = [{f"={level if chance.random() < 0.5 else chance.choice('fm')}"} for level in levels]

    found = predict(features, levels)
    assert found.right > 0.7 > found.without
    assert found.p == 1 / 2000
    assert found == predict(features, levels)


def test_nothing_is_found_in_noise_more_often_than_the_level_allows() -> None:
    found = 0
    for seed in range(120):
        chance = random.Random(seed)
        levels = [chance.choice(["f", "m"]) for _ in range(50)]
        found += predict([{f"={chance.randrange(5)}"} for _ in levels], levels).p <= 0.05
    assert found <= 12  # 6 expected; more than 12 of 120 has a probability of 1 % at 5 %


@pytest.mark.parametrize(
    ("features", "levels", "expected"),
    [
        ([{"a"}, {"b"}, {"c"}, {"d"}], ["f", "f", "f", "m"], Prediction(4, 0.75, 0.75, 1.0)),
        ([{"a"}, {"a"}, {"a"}], ["f", "f", "m"], Prediction(3, 2 / 3, 2 / 3, 1.0)),
        ([{"a"}, {"b"}, {"b"}], ["f", "f", "f"], Prediction(3, 1.0, 1.0, 1.0)),
    ],
)
def test_what_stands_with_one_case_or_with_all_tells_nothing(
    features: list[set[str]], levels: list[str], expected: Prediction
) -> None:
    assert predict(features, levels) == expected


def test_as_many_levels_as_cases() -> None:
    with pytest.raises(ValueError, match="as many of both"):
        predict([{"a"}], [])
