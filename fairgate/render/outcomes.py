"""What the forms say about refusals and scores: who was refused how often, by how much scores differ."""

from collections.abc import Callable, Mapping
from typing import Any

from fairgate.results import RefusedDirection, ScoreGap, Selection, SuiteResult
from fairgate.wording import sentence


def lines(suite: SuiteResult) -> list[str]:
    """A line about refusals where they are declared, and one for each difference of scores; none otherwise."""
    axes = [one for one in suite.refusals or [] if len(one.attribute) == 1]
    refused = [sentence("swap_refused", axes=axes)] if axes else []
    return [*refused, *map(score_gap, suite.score_gaps or [])]


def score_gap(gap: ScoreGap) -> str:
    """By how much one level's mean score is above another's, and between which bounds."""
    return sentence("swap_score_gap", gap=gap)


def refused_way(way: RefusedDirection) -> str:
    """Who was refused an answer where who got a decision."""
    return sentence("swap_refused_way", way=way)


def unruled_refusals(suite: SuiteResult) -> list[Selection]:
    """The refusal rates that no rule of the suite shows already."""
    shown = [rule.attribute for rule in suite.rules if rule.groups and rule.rate == "refusal"]
    return [one for one in suite.refusals or [] if one.attribute not in shown]


FILTERS: Mapping[str, Callable[..., Any]] = {
    "outcome_lines": lines,
    "refused_way": refused_way,
    "unruled_refusals": unruled_refusals,
}
