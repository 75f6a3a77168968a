"""Rows of the mitigation table: what came of the same cases and people under one way of asking, and two such."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from fairgate.results import Arm, ArmAxis, Beside
from fairgate.stats import paired
from fairgate.stats.discordance import mcnemar
from fairgate.stats.paired import Pairs
from fairgate.swap.flips import count_flips, swaps
from fairgate.swap.grid import Base, Grid
from fairgate.swap.selection import samples
from fairgate.swap.suite import Evidence, counts


def arm(name: str, system: str, evidence: Evidence, tail: float, *, mask: Mapping[str, str] | None = None) -> Arm:
    """What came of one way of asking: flips as the suite counts them, who was selected, what is missing.

    :param tail: error probability of each side of the interval
    """
    grid = evidence.grid
    flips = count_flips(grid)
    outcomes = Counter(observation.outcome for observation in grid.observations)
    seen = outcomes[True] + outcomes[False]
    return Arm(
        name=name,
        system=system,
        mask=dict(mask or {}),
        counts=counts(Evidence(grid)),
        complete=flips.complete,
        flipped=flips.flipped,
        rate=flips.rate,
        interval=flips.interval(tail),
        selected=outcomes[True],
        selection_rate=outcomes[True] / seen if seen else None,
        axes=[_axis(axis, grid) for axis in grid.axes],
    )


def _axis(axis: str, grid: Grid) -> ArmAxis:
    pairs = [swap for swap in swaps(grid) if swap.axis == axis and swap.better < swap.worse]
    flipped = sum(any(_differ(base, pair.better, pair.worse) for pair in pairs) for base in grid.bases)
    rates = {sample.group[axis]: sample.estimate for sample in samples(grid, [axis])}
    known = {level: rate for level, rate in rates.items() if rate is not None}
    if len(known) < len(rates):
        return ArmAxis(axis=axis, flipped=flipped, gap=None)
    most, least = max(known, key=lambda level: known[level]), min(known, key=lambda level: known[level])
    gap = known[most] - known[least]
    return ArmAxis(axis=axis, flipped=flipped, gap=gap, between=(most, least) if gap else None)


def _differ(base: Base, one: int, other: int) -> bool:
    """Whether two cells hold observed answers that are not the same."""
    return len({seen.kind for cell in (one, other) for seen in base.cells[cell]} - {None}) > 1


@dataclass(frozen=True)
class Discordance:
    """Bases that flip one way of asking and not the other; of those that are incomplete, how many may.

    :param fewer: (least, most) bases that flip as it is and not in the other arm
    :param more: (least, most) bases that flip in the other arm alone
    """

    fewer: tuple[int, int]
    more: tuple[int, int]

    @property
    def p(self) -> float:
        """The two-sided p-value of McNemar's exact test, the largest over every completion of what is missing.

        It falls with the larger count and grows with the smaller one, so the largest is where the two are closest.
        """
        if self.fewer[0] > self.more[1]:
            return mcnemar(self.fewer[0], self.more[1])
        return mcnemar(self.fewer[1], self.more[0]) if self.more[0] > self.fewer[1] else 1.0


def beside(before: Grid, after: Grid, tail: float) -> Beside:
    """Two ways of asking, base by base.

    :param before: the suite as it is
    :param after: the same bases in the same order
    :raises ValueError: the bases are not the same
    """
    pairs = list(zip(before.bases, after.bases, strict=True))
    if any(one.id != other.id for one, other in pairs):
        raise ValueError("found other bases in the second arm, expected the same in the same order")
    states = Counter((_state(one), _state(other)) for one, other in pairs)
    found = _discordance(states)
    known = sum(number for pair, number in states.items() if None not in pair)
    moved = [_moved(one, other) for one, other in pairs]
    lower = Pairs(found.more[0], found.fewer[1], len(pairs))
    upper = Pairs(found.more[1], found.fewer[0], len(pairs))
    return Beside(
        pairs=len(pairs),
        fewer=states[True, False],
        more=states[False, True],
        both=states[True, True],
        open=len(pairs) - known,
        difference=(states[False, True] - states[True, False]) / known if known else None,
        interval=(paired.lower_bound(lower, tail), paired.upper_bound(upper, tail)),
        p=found.p,
        lost=sum(lost for lost, _ in moved),
        gained=sum(gained for _, gained in moved),
    )


def _state(base: Base) -> bool | None:
    """Flipped, not flipped, or None while an outcome is missing that could still make it flip."""
    return True if base.flipped else False if base.complete else None


def _discordance(states: Mapping[tuple[bool | None, bool | None], int]) -> Discordance:
    def number(before: tuple[bool | None, ...], after: tuple[bool | None, ...]) -> int:
        return sum(count for (one, other), count in states.items() if one in before and other in after)

    yes, no, maybe_yes, maybe_no = (True,), (False,), (True, None), (False, None)
    return Discordance(
        (number(yes, no), number(maybe_yes, maybe_no)),
        (number(no, yes), number(maybe_no, maybe_yes)),
    )


def _moved(before: Base, after: Base) -> tuple[bool, bool]:
    """Whether some person of the base was selected and is not any more; and the other way round."""
    pairs = [(one.outcome, other.outcome) for one, other in zip(before.observations, after.observations, strict=True)]
    return (True, False) in pairs, (False, True) in pairs
