"""Simpson's paradox: where a gap between two groups turns round once cases are compared within their strata.

Source: Simpson (1951), Journal of the Royal Statistical Society B 13, 238–241; the differences within strata are pooled
with the weights of Mantel & Haenszel (1959), Journal of the National Cancer Institute 22, 719–748. A warning with the
numbers, never a rule: whether a stratum explains a gap or is how it comes about is not in the data.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from fairgate.config.model import FairnessSuite
from fairgate.golden.decided import Decided
from fairgate.parity.cells import RATES, Cell, count
from fairgate.results import Remark
from fairgate.wording import sentence

_SHOWN = 6
_TURN = 0.02
"""How far the pooled difference within strata has to be from the marginal one: less is noise in how strata are
mixed."""

_MOST_STRATA = 1000
"""A column with more values than this is no stratum but an id or a number."""


@dataclass(frozen=True)
class Stratum:
    """The two groups within one stratum, both of them observed."""

    name: str
    high: Cell
    low: Cell

    @property
    def difference(self) -> float:
        """The rate of the group that is higher overall, minus that of the other one."""
        return (self.high.estimate or 0.0) - (self.low.estimate or 0.0)


@dataclass(frozen=True)
class Reversal:
    """Two groups whose difference has one sign over all cases and the other one within strata."""

    high: Cell
    low: Cell
    strata: tuple[Stratum, ...]
    pooled: float

    @property
    def marginal(self) -> float:
        """The difference over all cases, > 0."""
        return (self.high.estimate or 0.0) - (self.low.estimate or 0.0)


def reversals(suite: FairnessSuite, decided: Decided) -> Iterator[Remark]:
    """One warning for each rate, attribute and stratum of the suite's rules in which some gap turns round."""
    looked_at = {(rule.rate, tuple(rule.attribute)): None for rule in suite.rules}
    for stratum in suite.strata:
        levels = len(decided.declared[stratum])
        if levels > _MOST_STRATA:
            yield Remark(code="too_many_strata", message=sentence("parity_strata", stratum=stratum, levels=levels))
            continue
        for rate, attributes in looked_at:
            if stratum not in attributes:
                yield from _reversals(decided, stratum, rate, attributes)


def _reversals(decided: Decided, stratum: str, rate: str, attributes: Sequence[str]) -> Iterator[Remark]:
    cells = count(decided, RATES[rate], attributes).cells
    split = count(decided, RATES[rate], [stratum, *attributes]).cells
    names = decided.declared[stratum]
    by_stratum = {name: split[i * len(cells) : (i + 1) * len(cells)] for i, name in enumerate(names)}
    found = [reversal for pair in combinations(range(len(cells)), 2) if (reversal := turned(cells, by_stratum, *pair))]
    if found:
        most = max(found, key=lambda reversal: reversal.marginal - reversal.pooled)
        yield Remark(
            code="simpson",
            message=sentence(
                "parity_simpson",
                rate=rate,
                attribute=attributes,
                stratum=stratum,
                reversal=most,
                against=sum(part.difference < 0 for part in most.strata),
                shown=sorted(most.strata, key=lambda part: -part.high.observed - part.low.observed)[:_SHOWN],
                more=len(most.strata[_SHOWN:]),
                pairs=len(found) - 1,
            ),
        )


def turned(cells: Sequence[Cell], by_stratum: Mapping[str, Sequence[Cell]], first: int, second: int) -> Reversal | None:
    """The reversal between two cells, or None where the strata point the same way, or hardly another way.

    The pooled difference is Σ w (p_high − p_low) / Σ w with w = n_high n_low / (n_high + n_low), over the strata in
    which both groups were observed.
    """
    if not cells[first].observed or not cells[second].observed:
        return None
    high, low = sorted((first, second), key=lambda i: -(cells[i].estimate or 0.0))
    strata = tuple(
        Stratum(name, parts[high], parts[low])
        for name, parts in by_stratum.items()
        if parts[high].observed and parts[low].observed
    )
    weights = [part.high.observed * part.low.observed / (part.high.observed + part.low.observed) for part in strata]
    if not strata:
        return None
    pooled = sum(w * part.difference for w, part in zip(weights, strata, strict=True)) / sum(weights)
    reversal = Reversal(cells[high], cells[low], strata, pooled)
    turns = pooled < 0 < reversal.marginal and reversal.marginal - pooled >= _TURN
    return reversal if turns else None
