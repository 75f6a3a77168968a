"""What a swap suite yields: outcomes, flips, whom they favour, and flips that a person can read."""

from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from fairgate.results.base import Interval, Result
from fairgate.results.rule import Group


class OutcomeCell(Result):
    """One level of every axis, and how many outcomes a base has there."""

    group: dict[str, str]
    observations: int = Field(ge=1)


class BaseOutcomes(Result):
    """One base case as a later run compares it: which text, which people, what was decided.

    ``outcomes`` holds one sign for every expected observation, cell by cell: ``+`` positive, ``-`` negative, ``r``
    refused, ``?`` missing.
    """

    case: str
    text: str | None = Field(default=None, description="digest of the case without the person; null: not known")
    people: str | None = Field(default=None, description="digest of the people who stood for the levels")
    outcomes: str = Field(pattern="^[+?r-]*$")


class Outcomes(Result):
    """Every outcome of a swap suite, so that a later run can be compared case by case."""

    cells: list[OutcomeCell]
    bases: list[BaseOutcomes]
    absent: int = Field(default=0, ge=0, description="expected bases of which not even the id is known")

    @model_validator(mode="after")
    def _fits(self) -> Self:
        size, names = sum(cell.observations for cell in self.cells), {base.case for base in self.bases}
        if len(names) < len(self.bases) or any(len(base.outcomes) != size for base in self.bases):
            raise ValueError("every base case stands once, with one sign for each expected outcome")
        return self


class Selection(Result):
    """Selection rates of every level of an axis, or of every cell of a crossing."""

    attribute: list[str]
    groups: list[Group]


class ScoreGap(Result):
    """By how much the mean score of one level of an axis is above that of another, on the same bases; in score units.

    A missing score stands at either end of the range for the bound that it is worst for.
    """

    axis: str
    between: tuple[str, str]
    bases: int = Field(description="expected base cases")
    complete: int = Field(description="base cases with every score of both levels")
    estimate: float | None = Field(description="mean over the complete bases; null when there is none")
    interval: Interval
    range: Interval = Field(description="the lowest and the highest score")


class Direction(Result):
    """In ``bases`` bases ``favoured`` got the positive outcome where ``over``, all else equal, got the negative one."""

    axis: str
    favoured: str
    over: str
    bases: int


class DirectionTest(Result):
    """Whether the decisions that change lean to one of two levels beyond chance: McNemar's exact test, never a rule.

    Every base counts once, for the level that got the positive outcome in more of its pairs of cells that differ in
    this axis alone; one with as many either way leans nowhere.
    """

    axis: str
    favoured: str = Field(description="the level that more bases lean to; the first declared where they are equal")
    over: str
    bases: int = Field(description="bases that lean to favoured")
    reverse: int = Field(description="bases that lean to the other")
    balanced: int = Field(default=0, description="bases in which both were favoured, equally often")
    p: float = Field(description="exact, two-sided")
    mid_p: float
    p_corrected: float = Field(description="by Holm over all tests of the suite")


class Pattern(Result):
    """Who got which answer in so many of the flipped bases, in terms of the fewest axes that tell it.

    Every list holds groups: a level of each axis that matters. A group can stand in several lists where people of the
    same group got different answers.
    """

    positive: list[dict[str, str]] = Field(default_factory=list)
    negative: list[dict[str, str]] = Field(default_factory=list)
    refusal: list[dict[str, str]] = Field(default_factory=list)
    incomplete: bool = Field(default=False, description="outcomes are missing: what was observed of the base")
    bases: int
    of: int = Field(description="all flipped bases")


class Words(Result):
    """What the client calls the two outcomes: the first declared word of each."""

    positive: str
    negative: str


class RefusedDirection(Result):
    """In ``bases`` bases ``refused`` was refused an answer where ``answered``, all else equal, got a decision."""

    axis: str
    refused: str
    answered: str
    bases: int


class PositiveControl(Result):
    """A change that ought to move the decision: proof that the suite can see anything."""

    change: dict[str, JsonValue]
    asked: int
    answered: int
    responded: int


class Control(Result):
    """Identical calls (A/A): one variant of every base asked again with nothing swapped, its number of pairs that
    disagree beside that of different people. Bounds are one-sided."""

    repeats: int = Field(description="how often the variant was asked again")
    bases: int
    asked: int = Field(description="repeats expected: bases x repeats")
    answered: int
    differed: int = Field(description="bases in which identical calls disagreed")
    noise: float | None = Field(description="share of pairs of identical calls that disagree; null when none is known")
    noise_interval: Interval
    excess: float | None = Field(
        description="share of pairs of different people that disagree, less the noise; may be below 0 by chance"
    )
    excess_interval: Interval
    method: Literal["exact_paired", "mixture_bound"]


class Flips(Result):
    """The count of decisions that changed when only the person changed."""

    bases: int
    complete: int
    flipped: int
    rate: float | None = Field(description="flipped / bases known to have flipped or not; null when none is")
    interval: Interval
    favoured: dict[str, int] = Field(
        description="level: bases in which it got the positive outcome where another level got the negative one"
    )
    directions: list[Direction] = Field(default_factory=list)
    tests: list[DirectionTest] = Field(default_factory=list, description="pairs of levels with any direction")
    patterns: list[Pattern] = Field(default_factory=list, description="the most frequent ones, at most five")
    other_patterns: int = Field(default=0, description="flipped bases of any other pattern")
    words: Words | None = Field(default=None, description="null: outcomes are not declared as words")
    refused: list[RefusedDirection] = Field(
        default_factory=list, description="who was refused an answer where who got a decision"
    )
    responds: list[PositiveControl] = Field(default_factory=list)
    kinds: list[Literal["positive", "negative", "refusal"]] = Field(
        default_factory=list, description="what was observed at all, in changed cases too"
    )
    control: Control | None = Field(default=None, description="null where nothing was asked again")


class Side(Result):
    """One of the two people of a flip."""

    group: dict[str, str]
    outcome: Literal["positive", "negative", "refusal"]
    answer: str = Field(description="as the system wrote it")


class Difference(Result):
    """A field in which the two people of a flip differ."""

    field: str
    positive: str
    negative: str
    redacted: bool = Field(default=False, description="the values are not shown: see redact")


class FlipExample(Result):
    """One flip that a person can read: what differed, what each got.

    ``positive`` is who got the better answer: positive before negative before a refusal.
    """

    case: str
    axes: list[str] = Field(description="the axes in which the two people differ")
    differs: list[Difference]
    positive: Side
    negative: Side
