"""Flips beyond the system's own noise: pairs of different calls against pairs of identical calls.

A case with four variants flips more often by noise alone than one with two, so flips are not compared with flips. Of a
base with V variants, B is the share of the pairs of variants whose answers are of different kinds; of the k + 1
identical calls of its control, W is the share of the pairs that are. D = B − W, and the excess is the mean of D.

With p_v the probabilities of the kinds of answers to variant v (two kinds, or three where refusals are declared), two
independent answers to v and w differ with probability 1 − p_v·p_w. The controlled variant is drawn uniformly, so over
pairs v < w

    E D = mean (1 − p_v·p_w) − mean_v (1 − |p_v|²) = mean ½ |p_v − p_w|² ≥ 0,

because every variant stands in as many pairs as any other, which makes the mean over v that over pairs of
½ (|p_v|² + |p_w|²). It is 0 exactly when the swap has no effect; with two kinds it is the mean of (p_v − p_w)², and
where the system always answers alike, the share of pairs that disagree. It does not matter that the first answer to the
controlled variant stands in both B and W: an expectation is linear, and each pair is one of two independent answers.
(A control on one fixed variant would hide bias: its noise need not be that of the others.)

Along one axis the pairs are those that differ in it alone. They fall into blocks: variants alike in everything but the
axis. A base counts when its controlled variant stands in a block, which in a full product is always so; of other
designs it keeps a part of the bases that was drawn before anything was asked.

A missing answer leaves D an interval, over all completions together: the controlled variant's own answer is the same
in B and W. Its upper end counts where the excess has to be small, its lower end where it is to be shown to be large.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import comb

from fairgate.results import Interval
from fairgate.stats import binomial, bounded_mean, paired
from fairgate.stats.paired import Pairs
from fairgate.swap.grid import KINDS, Base, Control, Grid, Kind, Repeats

Block = frozenset[int]
"""Cells that are compared with one another, by their index."""
Ends = Mapping[tuple[int, int], float]
"""The least and the most that a number can be in a base, over completions of what is missing: in how many bases."""


# --- disagreeing pairs -----------------------------------------------------------------------------------------------


def disagreeing(counts: Iterable[int]) -> int:
    """Pairs of answers of different kinds, from how many there are of each kind: (n² − Σ n_c²) / 2."""
    found = list(counts)
    return (sum(found) ** 2 - sum(count * count for count in found)) // 2


def least_apart(counts: Sequence[int], missing: int) -> int:
    """The fewest disagreeing pairs that missing answers can leave: all of the kind that is most frequent."""
    first, *rest = sorted(counts, reverse=True)
    return disagreeing([first + missing, *rest])


def most_apart(counts: Sequence[int], missing: int) -> int:
    """The most disagreeing pairs that missing answers can make: each of the kind that is rarest by then."""
    found = list(counts)
    for _ in range(missing):
        found[found.index(min(found))] += 1
    return disagreeing(found)


# --- what is compared ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scale:
    """How many pairs stand behind B and W in every base.

    B and W are counted in pairs, as whole numbers, and D in ``unit``: B times the pairs of identical calls minus W
    times the pairs of different ones.

    :param blocks: blocks of variants that are compared with one another
    :param size: variants in a block, ≥ 2
    :param repeats: k ≥ 1
    :param kinds: how many kinds of answers there can be
    """

    blocks: int
    size: int
    repeats: int
    kinds: int = 2

    @property
    def different(self) -> int:
        """Pairs of different variants in a base."""
        return self.blocks * comb(self.size, 2)

    @property
    def identical(self) -> int:
        """Pairs of identical calls in a base."""
        return comb(self.repeats + 1, 2)

    @property
    def unit(self) -> int:
        """D = 1."""
        return self.different * self.identical

    @property
    def most_different(self) -> int:
        """The most that B can be, in ``different`` pairs: every block split as evenly as it can be."""
        return self.blocks * most_apart([0] * self.kinds, self.size)

    @property
    def most_identical(self) -> int:
        """The most that W can be, in ``identical`` pairs."""
        return most_apart([0] * self.kinds, self.repeats + 1)

    @property
    def highest(self) -> int:
        """The most that D can be, in ``unit``."""
        return self.most_different * self.identical

    @property
    def lowest(self) -> int:
        """The least that D can be, in ``unit``."""
        return -self.most_identical * self.different

    @property
    def exact(self) -> bool:
        """Whether D is −1, 0 or 1: one pair against one pair."""
        return self.unit == 1


@dataclass(frozen=True)
class Excess:
    """Flips beyond noise: D of every base.

    :param ends: the least and the most of D, in ``scale.unit``: in how many bases
    """

    scale: Scale
    ends: Ends

    @property
    def bases(self) -> int:
        """Bases that count, all expected ones."""
        return int(sum(self.ends.values()))

    @cached_property
    def known(self) -> Counter[int]:
        """D where nothing that is missing could change it."""
        return Counter({least: int(count) for (least, most), count in self.ends.items() if least == most})

    @property
    def estimate(self) -> float | None:
        """The mean of D over the bases where it is known; None when there is none."""
        total = self.known.total()
        return sum(value * count for value, count in self.known.items()) / (self.scale.unit * total) if total else None

    def is_within(self, limit: float, tail: float) -> bool:
        """Whether the mean of D is shown to be at most ``limit``."""
        if self.scale.exact:
            return paired.is_below(_pairs(self._most), limit, tail)
        return bounded_mean.is_within(self._from_zero_to_one(self._most), self._to(limit), tail)

    def is_beyond(self, limit: float, tail: float) -> bool:
        """Whether the mean of D is shown to be more than ``limit``."""
        if self.scale.exact:
            return paired.is_above(_pairs(self._least), limit, tail)
        return bounded_mean.is_above(self._from_zero_to_one(self._least), self._to(limit), tail)

    def upper(self, tail: float) -> float:
        """The one-sided upper confidence bound of the mean of D."""
        if self.scale.exact:
            return paired.upper_bound(_pairs(self._most), tail)
        return self._back(bounded_mean.upper_bound(self._from_zero_to_one(self._most), tail))

    def lower(self, tail: float) -> float:
        """The one-sided lower confidence bound of the mean of D."""
        if self.scale.exact:
            return paired.lower_bound(_pairs(self._least), tail)
        return self._back(bounded_mean.lower_bound(self._from_zero_to_one(self._least), tail))

    def at_size(self, bases: float) -> "Excess":
        """The known part, scaled to another number of bases with nothing missing: for planning."""
        total = self.known.total() or 1
        return Excess(self.scale, {(value, value): count * bases / total for value, count in self.known.items()})

    @cached_property
    def _most(self) -> Counter[int]:
        return _marginal(self.ends, 1)

    @cached_property
    def _least(self) -> Counter[int]:
        return _marginal(self.ends, 0)

    def _from_zero_to_one(self, values: Mapping[int, float]) -> dict[float, float]:
        """x = (D + Wmax) / (Bmax + Wmax)."""
        lowest, span = self.scale.lowest, self.scale.highest - self.scale.lowest
        return {(value - lowest) / span: count for value, count in values.items()}

    def _to(self, limit: float) -> float:
        return (limit * self.scale.unit - self.scale.lowest) / (self.scale.highest - self.scale.lowest)

    def _back(self, x: float) -> float:
        lowest, span = self.scale.lowest, self.scale.highest - self.scale.lowest
        return (x * span + lowest) / self.scale.unit


@dataclass(frozen=True)
class Noise:
    """What the system does by itself: W of every base.

    :param ends: the least and the most of W, in ``scale.identical`` pairs: in how many bases
    """

    scale: Scale
    ends: Ends

    @property
    def differed(self) -> int:
        """Bases in which identical calls disagreed, whatever else is missing."""
        return int(sum(count for (least, _), count in self.ends.items() if least))

    @property
    def estimate(self) -> float | None:
        """The mean of W over the bases where it is known: the share of pairs of identical calls that disagree."""
        known = {least: count for (least, most), count in self.ends.items() if least == most}
        total = sum(known.values())
        return sum(w * count for w, count in known.items()) / (self.scale.identical * total) if total else None

    def lower(self, tail: float) -> float:
        """The one-sided lower confidence bound of the mean of W; Clopper–Pearson for one repeat, where W is 0 or 1."""
        values = _marginal(self.ends, 0)
        if self.scale.repeats == 1:
            return binomial.lower_bound(values[1], values.total(), tail)
        return self._back(bounded_mean.lower_bound(self._from_zero_to_one(values), tail))

    def upper(self, tail: float) -> float:
        """The one-sided upper confidence bound of the mean of W."""
        values = _marginal(self.ends, 1)
        if self.scale.repeats == 1:
            return binomial.upper_bound(values[1], values.total(), tail)
        return self._back(bounded_mean.upper_bound(self._from_zero_to_one(values), tail))

    def _from_zero_to_one(self, values: Mapping[int, float]) -> dict[float, float]:
        return {value / self.scale.most_identical: count for value, count in values.items()}

    def _back(self, x: float) -> float:
        return x * self.scale.most_identical / self.scale.identical


@dataclass(frozen=True)
class Measured:
    """Different against identical calls, of all axes or of one.

    :param missing: answers that are missing in the bases that count, repeats among them
    """

    excess: Excess
    noise: Noise
    missing: int


def measure(grid: Grid, control: Control, axis: str | None = None) -> Measured:
    """What the swap does beyond what the system does by itself.

    :param axis: compare only variants that differ in this axis alone; None compares every two variants
    """
    found = blocks(grid, axis)
    everywhere = frozenset(chain.from_iterable(found))
    scale = Scale(len(found), len(found[0]), control.repeats, control.kinds)
    excess, noise, missing = Counter[tuple[int, int]](), Counter[tuple[int, int]](), 0
    for base, repeats in zip(grid.bases, control.bases, strict=True):
        if repeats.cell in everywhere:
            excess[_excess_of(base, repeats, found, scale)] += 1
            noise[_noise_of(base, repeats, scale)] += 1
            answers = [_kind(base, cell) for cell in everywhere] + [one.kind for one in repeats.again]
            missing += answers.count(None)
    return Measured(Excess(scale, excess), Noise(scale, noise), missing)


def blocks(grid: Grid, axis: str | None = None) -> list[Block]:
    """The cells that are compared with one another: all, or those that differ in one axis alone.

    :raises ValueError: blocks are not of one size, so that no uniform draw stands for every pair alike
    """
    if axis is None:
        return [frozenset(range(len(grid.cells)))]
    alike: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, cell in enumerate(grid.cells):
        alike[tuple(level for name, level in cell.items() if name != axis)].append(number)
    found = [frozenset(cells) for cells in alike.values() if len(cells) > 1]
    if len({len(block) for block in found}) != 1:
        raise ValueError(f"the cells of axis {axis} do not fall into blocks of one size")
    return found


def never_different(scale: Scale, bases: int) -> Excess:
    """Everything answered, and always alike."""
    return Excess(scale, {(0, 0): bases})


# --- one base --------------------------------------------------------------------------------------------------------


def _excess_of(base: Base, repeats: Repeats, found: Sequence[Block], scale: Scale) -> tuple[int, int]:
    """The least and the most of D, over completions that give the controlled variant one answer, in B and W alike."""
    rest_least = rest_most = 0
    own: Block = frozenset()
    for block in found:
        if repeats.cell in block:
            own = block - {repeats.cell}
        else:
            counts, missing = _counted([_kind(base, cell) for cell in block], scale.kinds)
            rest_least += least_apart(counts, missing)
            rest_most += most_apart(counts, missing)
    others, others_missing = _counted([_kind(base, cell) for cell in own], scale.kinds)
    again, again_missing = _counted([one.kind for one in repeats.again], scale.kinds)
    least, most = [], []
    for kind in _possible(_kind(base, repeats.cell), scale.kinds):
        different, identical = _with(others, kind), _with(again, kind)
        least.append(
            (rest_least + least_apart(different, others_missing)) * scale.identical
            - most_apart(identical, again_missing) * scale.different
        )
        most.append(
            (rest_most + most_apart(different, others_missing)) * scale.identical
            - least_apart(identical, again_missing) * scale.different
        )
    return min(least), max(most)


def _noise_of(base: Base, repeats: Repeats, scale: Scale) -> tuple[int, int]:
    kinds = [_kind(base, repeats.cell), *(one.kind for one in repeats.again)]
    counts, missing = _counted(kinds, scale.kinds)
    return least_apart(counts, missing), most_apart(counts, missing)


def _kind(base: Base, cell: int) -> Kind | None:
    """The answer to a variant; whoever asks a system asks one of each cell."""
    (observation,) = base.cells[cell]
    return observation.kind


def _counted(kinds: Sequence[Kind | None], possible: int) -> tuple[list[int], int]:
    """How many answers there are of each kind, and how many are missing."""
    return [kinds.count(kind) for kind in KINDS[:possible]], kinds.count(None)


def _possible(kind: Kind | None, kinds: int) -> Sequence[int]:
    """The kinds that an answer can be of, by their index."""
    return range(kinds) if kind is None else [KINDS.index(kind)]


def _with(counts: Sequence[int], kind: int) -> list[int]:
    return [count + (number == kind) for number, count in enumerate(counts)]


def _marginal(ends: Ends, which: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for pair, count in ends.items():
        found[pair[which]] += count  # type: ignore[assignment]  # planning scales counts
    return found


def _pairs(values: Mapping[int, float]) -> Pairs:
    return Pairs(int(values.get(1, 0)), int(values.get(-1, 0)), int(sum(values.values())))


def interval(found: Excess | Noise, tail: float) -> Interval:
    """Both bounds, one-sided at ``tail`` each."""
    return found.lower(tail), found.upper(tail)
