"""How much worse, with bounds: a flip rate, a gap between groups, a mean score, each on the same cases twice.

The test of a flip rate is the exact paired test with a margin; gaps and scores take the mixture bound on differences
within a case. Every missing outcome and score stands at its worst for the side at hand, and the number of pairs is what
both runs expected, so that nothing is won by losing evidence (statistics.md sections 2, 4, 7 and 8).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, product

from fairgate.baseline.states import State, flip_state, is_idle
from fairgate.results import BaseOutcomes, CaseResult, Interval, OutcomeCell, Outcomes
from fairgate.stats import bounded_mean, paired
from fairgate.swap.grid import counted_in
from fairgate.verdict import Verdict

Range = tuple[float, float]
"""The smallest and the largest value that what is missing leaves possible."""

SIGNS = (1, -1)


@dataclass(frozen=True)
class Regression:
    """How much worse something became.

    :param pairs: n, the cases that both runs expected
    :param estimate: from what was observed; None when nothing was
    :param interval: the two deciding ends, one-sided each
    :param missing: pairs of which something is missing
    :param left_out: pairs with nothing to score
    :param between: the two groups of a gap
    """

    pairs: int
    estimate: float | None
    interval: Interval
    verdict: Verdict
    missing: int = 0
    left_out: int = 0
    between: tuple[dict[str, str], dict[str, str]] | None = None


# --- flip rate -------------------------------------------------------------------------------------------------------


def flip_regression(pairs: Sequence[tuple[BaseOutcomes, BaseOutcomes]], margin: float, tail: float) -> Regression:
    """The rise of the flip rate, by the exact paired test with a margin.

    PASS when p(H0: p_b − p_c ≥ margin) ≤ tail, FAIL when p(H0: p_b − p_c ≤ margin) ≤ tail, b newly and c no longer
    flipped (statistics.md section 8).

    :param margin: in [0, 1], the rise that is allowed
    :param tail: error probability of each side
    """
    states = [(flip_state(before.outcomes), flip_state(now.outcomes)) for before, now in pairs]
    if not states:
        return Regression(0, None, (-1.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE)
    most, least = discordant(states, worst=True), discordant(states, worst=False)
    lower, upper = paired.lower_bound(least, tail), paired.upper_bound(most, tail)
    verdict = Verdict.INSUFFICIENT_EVIDENCE
    # The tests decide. The ends are for people and a little too wide: beside a decided limit they stop at it.
    if paired.is_above(least, margin, tail):
        verdict, lower = Verdict.FAIL, max(lower, margin)
    elif paired.is_below(most, margin, tail):
        verdict, upper = Verdict.PASS, min(upper, margin)
    known = [(old, new) for old, new in states if State.OPEN not in (old, new)]
    rises = [(new is State.BAD) - (old is State.BAD) for old, new in known]
    return Regression(
        pairs=len(states),
        estimate=sum(rises) / len(rises) if rises else None,
        interval=(lower, upper),
        verdict=verdict,
        missing=len(states) - len(known),
    )


def discordant(states: Iterable[tuple[State, State]], *, worst: bool) -> paired.Pairs:
    """Newly bad (b) and newly good (c) pairs: what is open stands for the worst, or the best, that it allows."""
    bad_now, bad_before = (State.BAD, State.GOOD) if worst else (State.GOOD, State.BAD)
    filled = [(bad_before if old is State.OPEN else old, bad_now if new is State.OPEN else new) for old, new in states]
    counts = Counter(filled)
    return paired.Pairs(counts[State.GOOD, State.BAD], counts[State.BAD, State.GOOD], len(filled))


# --- gap between groups ----------------------------------------------------------------------------------------------


def gap_regression(  # noqa: PLR0913, PLR0917 - two runs, what to look at, how sure to be
    pairs: Sequence[tuple[BaseOutcomes, BaseOutcomes]],
    before: Outcomes,
    now: Outcomes,
    attribute: Sequence[str],
    margin: float,
    tail: float,
) -> Regression:
    """The growth of the gap in selection rates between any two groups, by the mixture bound on differences of a base.

    With D the difference of the two groups' rates within a base, |gap now| − |gap before| ≤ margin holds when for both
    signs s there is a sign t with mean(s·D_now − t·D_before) ≤ margin; t is chosen, so its bounds are at tail/2. Every
    pair of groups has to PASS (intersection–union); for a FAIL the pairs share the tail (statistics.md section 8).
    """
    levels = [list(dict.fromkeys(cell.group[axis] for cell in now.cells)) for axis in attribute]
    groups = [dict(zip(attribute, chosen, strict=True)) for chosen in product(*levels)]
    two = list(combinations(groups, 2))
    found = [_gap(pairs, (before, now), pair, margin, tail, tail / len(two)) for pair in two] if pairs else []
    if not found:
        return Regression(0, None, (-1.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE)
    order = {Verdict.FAIL: 2, Verdict.INSUFFICIENT_EVIDENCE: 1, Verdict.PASS: 0}
    return max(found, key=lambda one: (order[one.verdict], one.interval[1], one.interval[0]))


def _gap(  # noqa: PLR0913, PLR0917 - as above
    pairs: Sequence[tuple[BaseOutcomes, BaseOutcomes]],
    outcomes: tuple[Outcomes, Outcomes],
    between: tuple[dict[str, str], dict[str, str]],
    margin: float,
    passing: float,
    failing: float,
) -> Regression:
    before, now = ([_positions(found.cells, group) for group in between] for found in outcomes)
    changes = [(_difference(old.outcomes, before), _difference(new.outcomes, now)) for old, new in pairs]
    known = [(old[0], new[0]) for old, new in changes if old[0] == old[1] and new[0] == new[1]]
    upper = max(min(_upper(changes, s, t, passing / 2) for t in SIGNS) for s in SIGNS)
    lower = max(min(_lower(changes, s, t, failing / 2) for t in SIGNS) for s in SIGNS)
    estimate = None
    if known:
        estimate = (abs(sum(new for _, new in known)) - abs(sum(old for old, _ in known))) / len(known)
    return Regression(
        pairs=len(changes),
        estimate=estimate,
        interval=(lower, upper),
        verdict=_beside((lower, upper), margin),
        missing=len(changes) - len(known),
        between=between,
    )


def _positions(cells: Sequence[OutcomeCell], group: dict[str, str]) -> list[int]:
    """The signs of a base that are counted for a group."""
    ends = list(accumulate(cell.observations for cell in cells))
    counted = counted_in([cell.group for cell in cells], group)
    return [at for number in counted for at in range(ends[number] - cells[number].observations, ends[number])]


def _difference(signs: str, between: Sequence[Sequence[int]]) -> Range:
    """The difference of two groups' rates within a base, over every completion of what is missing; in [−1, 1]."""
    (low, high), (other_low, other_high) = (_rate([signs[at] for at in positions]) for positions in between)
    return low - other_high, high - other_low


def _rate(signs: Sequence[str]) -> Range:
    positive, missing = signs.count("+"), signs.count("?")
    return positive / len(signs), (positive + missing) / len(signs)


def _signed(changes: Sequence[tuple[Range, Range]], s: int, t: int) -> list[Range]:
    """s·D_now − t·D_before of every base, in [−2, 2]."""
    return [_minus(_times(new, s), _times(old, t)) for old, new in changes]


def _times(ends: Range, sign: int) -> Range:
    return ends if sign > 0 else (-ends[1], -ends[0])


def _minus(one: Range, other: Range) -> Range:
    return one[0] - other[1], one[1] - other[0]


def _upper(changes: Sequence[tuple[Range, Range]], s: int, t: int, tail: float) -> float:
    return _mean_upper([high for _, high in _signed(changes, s, t)], 2.0, tail)


def _lower(changes: Sequence[tuple[Range, Range]], s: int, t: int, tail: float) -> float:
    return _mean_lower([low for low, _ in _signed(changes, s, t)], 2.0, tail)


# --- scores of answers -----------------------------------------------------------------------------------------------


def score_regression(
    answers: Sequence[tuple[CaseResult, CaseResult]], metric: str, margin: float, tail: float, min_coverage: float
) -> Regression:
    """The drop of a mean score, by the mixture bound on the differences before − now of each answer.

    Pairs in which an answer has nothing to score are left out, as long as ``min_coverage`` of them remain known to be
    scoreable: without that it is never a PASS.
    """
    both = [
        (before.scores[metric], now.scores[metric])
        for before, now in answers
        if metric in before.scores and metric in now.scores
    ]
    scoreable = [(old, new) for old, new in both if not is_idle(old) and not is_idle(new)]
    drops = [_minus(old.interval or (0.0, 1.0), new.interval or (0.0, 1.0)) for old, new in scoreable]
    if not drops:
        return Regression(0, None, (-1.0, 1.0), Verdict.INSUFFICIENT_EVIDENCE, left_out=len(both))
    known = [low for low, high in drops if low == high]
    interval = (
        _mean_lower([low for low, _ in drops], 1.0, tail),
        _mean_upper([high for _, high in drops], 1.0, tail),
    )
    verdict = _beside(interval, margin)
    certain = sum(old.interval is not None and new.interval is not None for old, new in scoreable)
    if verdict is Verdict.PASS and certain < min_coverage * len(both) - 1e-9:
        verdict = Verdict.INSUFFICIENT_EVIDENCE
    return Regression(
        pairs=len(drops),
        estimate=sum(known) / len(known) if known else None,
        interval=interval,
        verdict=verdict,
        missing=len(drops) - len(known),
        left_out=len(both) - len(drops),
    )


# --- bounds ----------------------------------------------------------------------------------------------------------


def _mean_lower(values: Iterable[float], most: float, tail: float) -> float:
    return bounded_mean.lower_bound(_scaled(values, most), tail) * 2 * most - most


def _mean_upper(values: Iterable[float], most: float, tail: float) -> float:
    return bounded_mean.upper_bound(_scaled(values, most), tail) * 2 * most - most


def _scaled(values: Iterable[float], most: float) -> Counter[float]:
    """Values in [−most, most] as values in [0, 1]; what floats add at the rim is taken off."""
    return Counter(min(1.0, max(0.0, round((value + most) / (2 * most), 12))) for value in values)


def _beside(interval: Interval, margin: float) -> Verdict:
    """PASS when the whole interval is within the margin, FAIL when all of it is beyond."""
    lower, upper = interval
    if lower > margin:
        return Verdict.FAIL
    return Verdict.PASS if upper <= margin else Verdict.INSUFFICIENT_EVIDENCE
