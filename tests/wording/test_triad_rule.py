"""The sentence of a rule over answers: every way to require, every verdict, every reason."""

from typing import Any

import pytest

from fairgate.wording import sentence
from fairgate.wording.numbers import score


def told(**changed: Any) -> str:
    """The message of a rule, of a suite in which all is well unless something is changed."""
    facts: dict[str, Any] = {
        "metric": "faithfulness",
        "require": "all",
        "verdict": "PASS",
        "limit": 0.85,
        "pass_rate": None,
        "cases": 12,
        "scoreable": 12,
        "passed": 12,
        "failed": 0,
        "review": 0,
        "unjudged": 0,
        "estimate": 1.0,
        "interval": (1.0, 1.0),
        "confidence": 0.95,
        "lowest": None,
        "reasons": [],
        "min_coverage": 0.9,
        "floor": None,
    }
    return sentence("triad_rule", **(facts | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, "12 of 12 answers reach a faithfulness of .85."),
        (
            {"passed": 9, "failed": 3, "verdict": "FAIL", "lowest": {"id": "s-03", "score": 1 / 3}},
            "9 of 12 answers reach a faithfulness of .85; the lowest is s-03 with .33.",
        ),
        (
            {"passed": 10, "unjudged": 1, "review": 1, "verdict": "MANUAL_REVIEW"},
            "10 of 12 answers reach a faithfulness of .85. 1 answer could not be judged, which counts both ways. "
            "For 1 answer the votes of the panel are split, so a person has to look.",
        ),
        (
            {"metric": "answer_relevance", "require": "pass_rate", "pass_rate": 0.9, "interval": (0.9086, 0.9990)},
            "12 of 12 answers reach a relevance of .85. With 95 % confidence at least 90.9 % do, which keeps the limit "
            "of 90 %.",
        ),
        (
            {"require": "pass_rate", "pass_rate": 0.9, "passed": 4, "interval": (0.1, 0.61), "verdict": "FAIL"},
            "4 of 12 answers reach a faithfulness of .85. With 95 % confidence at most 61 % do, which breaks the limit "
            "of 90 %.",
        ),
        (
            {
                "require": "pass_rate",
                "pass_rate": 0.9,
                "interval": (0.78, 1.0),
                "verdict": "INSUFFICIENT_EVIDENCE",
            },
            "12 of 12 answers reach a faithfulness of .85. With 95 % confidence 78 to 100 % do; the limit is 90 %.",
        ),
        (
            {"require": "mean", "estimate": 0.91, "interval": (0.838084, 0.978510), "verdict": "INSUFFICIENT_EVIDENCE"},
            "The mean faithfulness of 12 answers is .91. With 95 % confidence it is between .84 and .98; the limit is "
            ".85.",
        ),
        (
            {"require": "mean", "estimate": 0.4, "interval": (0.2, 0.6), "verdict": "FAIL"},
            "The mean faithfulness of 12 answers is .40. With 95 % confidence it is at most .60, which breaks the "
            "limit of .85.",
        ),
        ({"scoreable": 0}, "None of 12 cases could be scored, so nothing is known about faithfulness."),
        (
            {"scoreable": 10, "passed": 10, "reasons": ["coverage_too_low"]},
            "10 of 10 answers reach a faithfulness of .85. Only 10 of 12 cases can be scored; at least 90 % have to "
            "be.",
        ),
        (
            {"metric": "answer_relevance", "limit": 0.8, "reasons": ["limit_below_floor"], "floor": 0.86},
            "12 of 12 answers reach a relevance of .80. Unrelated questions of this suite score up to .86 with these "
            "embeddings, so a limit of .80 would pass an answer to another question.",
        ),
        (
            {"reasons": ["all_cases_pass", "unvalidated_judge", "requires_manual_review"]},
            "12 of 12 answers reach a faithfulness of .85. The only judge is embedded and compares words; it was never "
            "checked against your own labels, so a person has to look. The rule asks for a person to look in any case.",
        ),
    ],
)
def test_what_a_rule_says(changed: dict[str, Any], message: str) -> None:
    assert told(**changed) == message


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
    assert score(value) == text


def test_a_score_is_kept_apart_from_the_limit_beside_it() -> None:
    assert score(0.8496, beside=0.85) == ".8496"
    assert score(0.85, beside=0.85) == ".85"
