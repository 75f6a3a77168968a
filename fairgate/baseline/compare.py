"""One suite beside the same suite of the baseline: what became better, what became worse, each named."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fairgate.baseline.pairs import Pairs, pair_bases, same_groups, same_text
from fairgate.baseline.states import Change, State, change, flip_state, is_idle, rule_state, score_state
from fairgate.comparison import ChangedCase, FlipChanges, Item, NewFlip, ScoreChange, SuiteComparison, VerdictChanges
from fairgate.results import BaseOutcomes, CaseResult, OutcomeCell, RuleResult, SuiteResult
from fairgate.wording import sentence

Again = Mapping[str, str]
"""Base case to the outcomes of its variants when it was asked once more."""

OF_CHANGE = ("no_new_flips", "no_new_failures", "regression")
"""Metrics of rules that are about the change; they are never compared themselves."""


@dataclass(frozen=True)
class Compared:
    """A suite beside its baseline, with the pairs that its rules measure.

    :param pairs: of base cases; None for other kinds, and where the runs cannot be paired
    """

    before: SuiteResult
    now: SuiteResult
    told: SuiteComparison
    pairs: Pairs | None = None
    answers: list[tuple[CaseResult, CaseResult]] = field(default_factory=list)


def compare_suite(before: SuiteResult, now: SuiteResult, again: Again | None = None) -> Compared:
    """Compare a suite with its baseline.

    :param again: the newly flipped cases that were asked once more, and what came of it; None when none was asked
    """
    pairs, why_not = _pairs(before, now) if now.kind == "swap" else (None, None)
    answers, changed, added, removed = _answers(before, now)
    told = SuiteComparison(
        suite=now.name,
        kind=now.kind,
        state="compared",
        reason=why_not,
        message=sentence("baseline_missing", reason=why_not, source=now.name, detail="") if why_not else None,
        flips=flip_changes(pairs, again, _cells(now)) if pairs else None,
        verdicts=_verdict_changes(before, now, answers),
        scores=list(_score_changes(answers)),
        changed=pairs.changed if pairs else changed,
        added=pairs.added if pairs else added,
        removed=pairs.removed if pairs else removed,
        other_rules=[rule.id for rule in measured(now) if not _unchanged(rule, before)],
    )
    return Compared(before, now, told, pairs, answers)


def newly_flipped(before: SuiteResult, now: SuiteResult) -> list[str]:
    """The base cases that flip now and did not before: those worth asking again."""
    pairs, _ = _pairs(before, now)
    return [flip.case for flip in flip_changes(pairs, None, _cells(now)).newly_flipped] if pairs else []


def measured(suite: SuiteResult) -> list[RuleResult]:
    """The rules over the run itself."""
    return [rule for rule in suite.rules if rule.metric not in OF_CHANGE]


def definition(rule: RuleResult) -> tuple[object, ...]:
    """What a rule demands, apart from what it found."""
    left_out = rule.left_out.limit if rule.left_out else None
    attribute = tuple(rule.attribute or ())
    return (
        rule.metric, rule.of, rule.rate, rule.bound, rule.limit, attribute, rule.require, rule.pass_rate,
        rule.confidence, left_out,
    )  # fmt: skip


# --- flips -----------------------------------------------------------------------------------------------------------


def _pairs(before: SuiteResult, now: SuiteResult) -> tuple[Pairs | None, str | None]:
    """The paired base cases, or a reason why there are none."""
    if before.outcomes is None or now.outcomes is None:
        return None, "outcomes_not_kept"
    if not same_groups(before.outcomes, now.outcomes):
        return None, "other_axes"
    return pair_bases(before.outcomes, now.outcomes), None


def _cells(suite: SuiteResult) -> list[OutcomeCell]:
    return suite.outcomes.cells if suite.outcomes else []


def flip_changes(pairs: Pairs, again: Again | None, cells: list[OutcomeCell]) -> FlipChanges:
    """What became of every paired base case. A newly flipped one that was asked again has to flip again."""
    bases = {now.case: now for _, now in pairs.same}
    states = [(now.case, flip_state(before.outcomes), flip_state(now.outcomes)) for before, now in pairs.same]
    found: dict[Change, list[str]] = {kind: [] for kind in Change}
    not_repeated = []
    for case, before, now in states:
        kind = change(before, now)
        second = flip_state(again[case]) if kind is Change.NEW and again is not None and case in again else State.BAD
        if second is State.GOOD:
            not_repeated.append(case)
        else:
            found[Change.OPEN if second is State.OPEN else kind].append(case)
    return FlipChanges(
        pairs=len(states),
        before=sum(before is State.BAD for _, before, _ in states),
        now=sum(now is State.BAD for _, _, now in states),
        newly_flipped=[new_flip(bases[case], cells) for case in found[Change.NEW]],
        newly_settled=found[Change.GONE],
        still_flipped=found[Change.STILL],
        open=found[Change.OPEN],
        unknown=[case for case, before, now in states if State.OPEN in (before, now)],
        asked_again=len(again or ()),
        not_repeated=not_repeated,
    )


def new_flip(base: BaseOutcomes, cells: list[OutcomeCell]) -> NewFlip:
    """Who gets which decision in a base case that flips; in a group with several people, both may be."""
    groups = [cell.group for cell in cells for _ in range(cell.observations)]
    sides: dict[str, list[dict[str, str]]] = {"+": [], "-": [], "r": [], "?": []}
    for group, sign in zip(groups, base.outcomes, strict=True):
        if group not in sides[sign]:
            sides[sign].append(group)
    return NewFlip(case=base.case, positive=sides["+"], negative=sides["-"], refused=sides["r"])


# --- answers ---------------------------------------------------------------------------------------------------------


def _answers(
    before: SuiteResult, now: SuiteResult
) -> tuple[list[tuple[CaseResult, CaseResult]], list[ChangedCase], list[str], list[str]]:
    """The cases of a rag suite: paired, changed, added, removed."""
    old = {case.id: case for case in before.cases or []}
    new = {case.id: case for case in now.cases or []}
    both = [(old[id], case) for id, case in new.items() if id in old]
    same = [(earlier, case) for earlier, case in both if same_text(earlier, case)]
    changed = [ChangedCase(case=case.id, what="text") for earlier, case in both if not same_text(earlier, case)]
    return same, changed, [id for id in new if id not in old], [id for id in old if id not in new]


def _score_changes(answers: list[tuple[CaseResult, CaseResult]]) -> Iterator[ScoreChange]:
    """The mean score of each metric over the answers that both runs scored."""
    for metric in dict.fromkeys(metric for _, now in answers for metric in now.scores):
        scored = [
            (before.scores[metric].score, now.scores[metric].score)
            for before, now in answers
            if metric in before.scores and metric in now.scores
        ]
        known = [(old, new) for old, new in scored if old is not None and new is not None]
        yield ScoreChange(
            metric=metric,
            pairs=len(known),
            before=sum(old for old, _ in known) / len(known) if known else None,
            now=sum(new for _, new in known) / len(known) if known else None,
        )


# --- verdicts --------------------------------------------------------------------------------------------------------


def _verdict_changes(
    before: SuiteResult, now: SuiteResult, answers: list[tuple[CaseResult, CaseResult]]
) -> VerdictChanges:
    found: dict[Change, list[Item]] = {kind: [] for kind in Change}
    for item, kind in [*_rule_changes(before, now), *_case_changes(before, now, answers)]:
        found[kind].append(item)
    return VerdictChanges(
        newly_failing=found[Change.NEW],
        newly_passing=found[Change.GONE],
        still_failing=found[Change.STILL],
        open=found[Change.OPEN],
        compared=sum(map(len, found.values())),
    )


def _rule_changes(before: SuiteResult, now: SuiteResult) -> Iterator[tuple[Item, Change]]:
    old = {rule.id: rule for rule in measured(before)}
    for rule in measured(now):
        if _unchanged(rule, before):
            earlier = rule_state(old[rule.id].underlying)
            yield Item(rule=rule.id), change(earlier, rule_state(rule.underlying))


def _case_changes(
    before: SuiteResult, now: SuiteResult, answers: list[tuple[CaseResult, CaseResult]]
) -> Iterator[tuple[Item, Change]]:
    """Every metric of every answer whose limits are what they were."""
    alike = {metric for metric in _limits(now) if _limits(now)[metric] == _limits(before).get(metric)}
    for earlier, case in answers:
        for metric, score in case.scores.items():
            old = earlier.scores.get(metric)
            if old is not None and metric in alike and not (is_idle(old) and is_idle(score)):
                yield Item(case=case.id, metric=metric), change(score_state(old), score_state(score))


def _limits(suite: SuiteResult) -> dict[str, set[tuple[object, ...]]]:
    """What the rules over single answers demand, by metric."""
    found: dict[str, set[tuple[object, ...]]] = {}
    for rule in measured(suite):
        if rule.require in ("all", "pass_rate"):
            found.setdefault(rule.metric, set()).add((rule.limit, suite.band))
    return found


def _unchanged(rule: RuleResult, before: SuiteResult) -> bool:
    return any(definition(rule) == definition(earlier) for earlier in measured(before) if earlier.id == rule.id)
