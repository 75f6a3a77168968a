"""Limits that can never be broken are remarked on; those that can are not."""

from typing import Any

import pytest

from fairgate.config.model import FairnessRule, SwapRule
from fairgate.config.rule import Rule
from fairgate.config.triad import TriadRule
from fairgate.config.vacuous import limits_that_bind_nothing

SELECTION = {"rate": "selection", "attribute": "sex"}


@pytest.mark.parametrize(
    ("kind", "limits", "where"),
    [
        (SwapRule, {"max_flip_rate": 1}, ("max_flip_rate",)),
        (SwapRule, {**SELECTION, "worst_group": {"min": 0}}, ("worst_group", "min")),
        (FairnessRule, {**SELECTION, "worst_group": {"max": 1}}, ("worst_group", "max")),
        (FairnessRule, {**SELECTION, "max_group_gap": 1}, ("max_group_gap",)),
        (TriadRule, {"metric": "faithfulness", "min": 0}, ("min",)),
        (TriadRule, {"metric": "faithfulness", "min": 0.8, "require": "pass_rate", "pass_rate": 0}, ("pass_rate",)),
    ],
)
def test_a_limit_that_nothing_breaks(kind: type[Rule], limits: dict[str, Any], where: tuple[str, ...]) -> None:
    ((found, message),) = limits_that_bind_nothing(kind.model_validate({"id": "r", **limits}))
    assert found == where
    assert message.startswith(f"rule r: {where[-1]}: ")


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        (SwapRule, {"max_flip_rate": 0}),
        (SwapRule, {**SELECTION, "worst_group": {"min": 1}}),
        (FairnessRule, {**SELECTION, "worst_group": {"max": 0}}),
        (FairnessRule, {**SELECTION, "max_group_gap": 0.99}),
        (TriadRule, {"metric": "faithfulness", "min": 1}),
    ],
)
def test_a_limit_that_something_breaks(kind: type[Rule], limits: dict[str, Any]) -> None:
    assert list(limits_that_bind_nothing(kind.model_validate({"id": "r", **limits}))) == []
