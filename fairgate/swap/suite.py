"""A judged suite: what it was about, its rules, its flips, and what a reader has to know besides."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from fairgate.config.model import SwapRule
from fairgate.results import Counts, Flips, Remark, RuleResult, SuiteResult, Words
from fairgate.swap.blindness import blind
from fairgate.swap.direction import direction_tests
from fairgate.swap.examples import examples
from fairgate.swap.flips import flips
from fairgate.swap.grid import Control, Grid, Kind, Observation, Response
from fairgate.swap.kept import outcomes, too_many
from fairgate.swap.noise_rule import control_result, noise_remarks
from fairgate.swap.outcomes import UNREADABLE, spelling
from fairgate.swap.patterns import patterns
from fairgate.swap.rules import judge_rule
from fairgate.swap.scores import score_gaps
from fairgate.swap.selection import refused, selection
from fairgate.verdict import worst
from fairgate.wording import sentence

ONE_SIDED = 0.95
"""From this share of one outcome on (missing ones counted with it), a suite is called one-sided."""

SPELLINGS = 20
"""Different unreadable spellings that are listed, the most frequent ones."""


@dataclass(frozen=True)
class Evidence:
    """Everything a suite expected, and what became of it.

    :param responses: one for every change under ``must_respond_to``
    :param control: what identical calls gave; None where nothing was asked again
    :param temperature: that the system was asked with; None where it is not known
    :param completeness: whether what was expected was known before the outcomes
    :param refusals: whether it is declared what a refusal is
    :param scale: the lowest and the highest score, where scores are read and their range is declared
    """

    grid: Grid
    responses: tuple[Response, ...] = ()
    completeness: Literal["declared", "not_declared"] = "declared"
    warnings: tuple[Remark, ...] = field(default=())
    control: Control | None = None
    temperature: Any = None
    refusals: bool = False
    scale: tuple[float, float] | None = None

    @property
    def observations(self) -> Iterator[Observation]:
        """Every expected observation once: those of different people, then the repeats."""
        yield from self.of_people
        if self.control is not None:
            yield from self.control.observations

    @property
    def of_people(self) -> Iterator[Observation]:
        """The grid, then the changed variants."""
        yield from self.grid.observations
        for response in self.responses:
            yield from (after for _, after in response.pairs)


def judge(  # noqa: PLR0913 - what to judge, how sure to be, what to call it
    name: str,
    rules: Sequence[SwapRule],
    evidence: Evidence,
    confidence: float,
    *,
    system: str | None = None,
    words: Words | None = None,
) -> SuiteResult:
    """Judge every rule of a suite over its evidence.

    :param system: who was asked; None for decisions made elsewhere
    :param words: what the client calls the two outcomes
    """
    tail = 1 - confidence
    counted = counts(evidence)
    results: list[RuleResult] = [
        judge_rule(
            rule,
            evidence.grid,
            confidence,
            blindness(evidence, selection=rule.rate == "selection"),
            evidence.control,
        )
        for rule in rules
    ]
    noise = control_result(evidence.grid, evidence.control, tail)
    return SuiteResult(
        name=name,
        kind="swap",
        verdict=worst(result.verdict for result in results),
        system=system,
        assumption=sentence("swap_assumption", asked=system is not None),
        counts=counted,
        rules=results,
        warnings=[
            *evidence.warnings,
            *_warnings(evidence, counted),
            *noise_remarks(noise, evidence.temperature),
            *too_many(evidence.grid),
        ],
        flips=_told(flips(evidence.grid, evidence.responses, tail), evidence.grid, words).model_copy(
            update={"control": noise, "kinds": kinds(evidence)}
        ),
        selection=selection(evidence.grid, _attributes(rules, of_refusals=False), tail),
        refusals=selection(evidence.grid, _attributes(rules, of_refusals=True), tail, refused)
        if evidence.refusals
        else None,
        score_gaps=score_gaps(evidence.grid, evidence.scale, tail) if evidence.scale else None,
        outcomes=outcomes(evidence.grid),
        examples=examples(evidence.grid),
    )


def _told(found: Flips, grid: Grid, words: Words | None) -> Flips:
    """The flips with whom they favour and who got what."""
    shown, other = patterns(grid)
    facts = {"tests": direction_tests(grid), "patterns": shown, "other_patterns": other, "words": words}
    return found.model_copy(update=facts)


def _attributes(rules: Sequence[SwapRule], *, of_refusals: bool) -> list[list[str]]:
    return [rule.attribute for rule in rules if rule.attribute and rule.of_refusals == of_refusals]


def counts(evidence: Evidence) -> Counts:
    """What the suite was about: expected, observed and missing outcomes, the latter by reason and spelling."""
    observations = list(evidence.observations)
    missing = [observation for observation in observations if observation.outcome is None]
    unreadable = Counter(spelling(one.answer or "") for one in missing if one.reason in UNREADABLE)
    details = {one.reason: one.detail for one in reversed(missing) if one.detail}
    reasons = Counter(one.reason or "unknown" for one in missing)
    return Counts(
        cases=len(evidence.grid.bases),
        expected=len(observations),
        observed=len(observations) - len(missing),
        missing=len(missing),
        missing_reasons=dict(reasons.most_common()),
        unreadable=dict(unreadable.most_common(SPELLINGS)),
        details=[details[reason] for reason in reasons if reason in details],
        completeness=evidence.completeness,
    )


def blindness(evidence: Evidence, *, selection: bool = False) -> list[str]:
    """What keeps the suite from seeing a flip: see ``swap.blindness``."""
    return blind(kinds(evidence), [response.responded for response in evidence.responses], selection=selection)


def kinds(evidence: Evidence) -> list[Kind]:
    """Every kind of outcome that was observed, each once."""
    return sorted({one.kind for one in evidence.of_people if one.kind is not None})


def _warnings(evidence: Evidence, counted: Counts) -> Iterator[Remark]:
    outcomes = Counter(observation.outcome for observation in evidence.grid.observations)
    expected, missing = outcomes.total(), outcomes[None]
    majority = max(outcomes[True], outcomes[False])
    yield from _unreadable(counted)
    # Where much is missing, that is what is wrong; what the rest says about the suite is not known.
    if majority + missing >= ONE_SIDED * expected and missing < majority:
        message = sentence(
            "swap_one_sided",
            share=(majority + missing) / expected,
            expected=expected,
            outcome="positive" if outcomes[True] == majority else "negative",
            refusals=outcomes[False] == majority and any(one.refused for one in evidence.grid.observations),
            missing=missing,
        )
        yield Remark(code="one_sided_suite", message=message)
    for response in evidence.responses:
        if not response.responded:
            message = sentence(
                "swap_no_response",
                change=described(response.change),
                answered=response.answered,
                asked=len(response.pairs),
            )
            yield Remark(code="no_response", message=message)


def _unreadable(counted: Counts) -> Iterator[Remark]:
    """What nobody could read, with the most frequent spelling: often a word that was not declared."""
    if counted.unreadable:
        most, times = next(iter(counted.unreadable.items()))
        reasons = {reason: number for reason, number in counted.missing_reasons.items() if reason in UNREADABLE}
        message = sentence(
            "swap_unreadable",
            number=sum(reasons.values()), expected=counted.expected, spelling=most, times=times,
            undeclared=reasons.get("unreadable_outcome", 0),
            others=[sentence("missing_reason", reason=reason, number=number)
                    for reason, number in reasons.items() if reason != "unreadable_outcome"],
        )  # fmt: skip
        yield Remark(code="unreadable_outcomes", message=message)


def described(change: Mapping[str, Any]) -> str:
    """A change as people write it: ``thu_nhap: 4000000``."""
    return ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in change.items()
    )


def evidence_lines(evidence: Evidence) -> list[dict[str, Any]]:
    """One JSON object for every expected observation; ``id`` and ``answer`` make them answers of a recorded system."""
    return [_line(observation) for observation in evidence.observations]


def _line(observation: Observation) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": observation.id,
        "case": observation.case,
        "group": dict(observation.group),
        "fields": dict(observation.fields),
        "answer": observation.answer,
        "outcome": observation.kind,
        "reason": observation.reason,
    }
    if observation.score is not None:
        line["score"] = observation.score
    return line | ({"model": observation.model} if observation.model else {})
