"""Why a rule of a swap suite came out as it did, and what would settle one that is open."""

from dataclasses import dataclass

from fairgate.results import Interval
from fairgate.stats.power import POWER
from fairgate.swap.grid import Grid
from fairgate.verdict import Verdict
from fairgate.wording import sentence
from fairgate.wording.numbers import percent


@dataclass(frozen=True)
class Settle:
    """What would settle an undecided rule.

    :param way: ``no_evidence``, ``answers``, ``no_further_flips``, ``same_rate`` or ``never``
    :param more: further cases, for the ways that need them
    :param missing: missing outcomes
    """

    way: str
    more: int = 0
    missing: int = 0

    @property
    def text(self) -> str:
        """As a sentence."""
        return sentence("swap_settle", way=self.way, more=self.more, missing=self.missing, power=POWER)


DECIDED = {Verdict.PASS: "within_limit", Verdict.FAIL: "beyond_limit"}


def why_open(too_few: str | None, missing: int, observed: bool) -> list[str]:
    """Codes for an open rule.

    :param too_few: why it can never pass at this size, if it cannot
    :param missing: missing outcomes that keep it open
    :param observed: whether there is any outcome
    """
    found = {
        "no_evidence": not observed,
        "too_few_cases_to_pass": too_few is not None,
        "missing_outcomes": missing > 0,
        "interval_straddles_limit": observed and too_few is None,
    }
    return [code for code, holds in found.items() if holds]


def more_cases(way: str, needed: int | None, bases: int, missing: int) -> Settle:
    """From the number of cases that would decide to what to say about it."""
    if needed is None:
        return Settle("never")
    return Settle(way, more=needed - bases, missing=missing) if needed > bases else Settle("answers", missing=missing)


def open_outcomes(grid: Grid) -> int:
    """Missing outcomes in bases that have not flipped: those that could still show a flip."""
    return sum(one.outcome is None for base in grid.bases if not base.flipped for one in base.observations)


def digits_beside(limit: float, interval: Interval) -> int:
    """Digits after the point of a percentage, so that a bound beside the limit does not read as the limit."""
    return 1 if all(end == limit or percent(end) != percent(limit) for end in interval) else 3
