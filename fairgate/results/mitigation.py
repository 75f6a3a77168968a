"""Fields that can carry what is swapped, and what was tried against it."""

from typing import Literal

from pydantic import Field

from fairgate.results.base import Counts, Interval, Result


class Carrier(Result):
    """A field of a case that can carry what an axis swaps, or may carry something of a person."""

    field: str
    axis: str | None = Field(default=None, description="may_carry: null, since nobody said of which")
    how: Literal["swapped", "filled", "declared", "predicts", "may_carry"]
    kind: str | None = Field(default=None, description="may_carry: what its name or its values look like")
    cases: int | None = Field(default=None, description="whose own level is known; null: not measured")
    right: float | None = Field(default=None, description="share of them whose own level the field tells")
    without: float | None = Field(default=None, description="the same without the field: the most frequent level")
    p: float | None = Field(default=None, description="permutation test, by Holm over all fields and axes")
    needed: bool = Field(default=False, description="declared as needed by the decision")
    why: str | None = Field(default=None, description="why it is needed, as declared")


class ProxyMeasure(Result):
    """Whether it could be measured which fields tell the level of an axis that the cases have of their own."""

    axis: str
    cases: int
    known: int = Field(description="cases with a level of their own in a field that the axis fills")
    levels: dict[str, int] = Field(description="level: how many of them")
    used: int = Field(description="cases that were measured; 0: too few, or all of one level")
    fields: int = Field(description="fields that were measured")


class Proxies(Result):
    """The fields that carry, or may carry, what is swapped."""

    fields: list[Carrier]
    measured: list[ProxyMeasure]


class ArmAxis(Result):
    """One axis in one row of the mitigation table."""

    axis: str
    flipped: int = Field(description="bases in which two people who differ in this axis alone got different answers")
    gap: float | None = Field(
        description="largest difference of two levels' selection rates; null: a rate is not known"
    )
    between: tuple[str, str] | None = Field(default=None, description="the level selected most, the one least")


class Beside(Result):
    """A mitigation beside the suite as it is, on the same bases: paired, so that the cases cancel out."""

    pairs: int = Field(description="all expected bases")
    fewer: int = Field(description="flip as it is and not here")
    more: int = Field(description="flip here and not as it is")
    both: int
    open: int = Field(description="an outcome is missing that could make the base flip")
    difference: float | None = Field(description="of the flip rates, here minus as it is, over pairs that are known")
    interval: Interval = Field(
        description="exact paired bounds of the difference, two-sided for all mitigations together, open "
        "pairs at their worst; holds 0 where p_adjusted does not exclude it"
    )
    p: float = Field(description="McNemar's exact test, two-sided, open pairs at their worst")
    p_adjusted: float = Field(default=1.0, description="by Holm over the mitigations of the suite")
    lost: int = Field(description="bases in which somebody was selected as it is and is not here")
    gained: int = Field(description="bases in which somebody is selected here and was not as it is")


class Arm(Result):
    """One row of the mitigation table: the suite as it is, or something that was tried. It decides nothing."""

    name: str
    system: str
    mask: dict[str, str] = Field(default_factory=dict, description="masked field: the text in its place")
    counts: Counts
    complete: int
    flipped: int
    rate: float | None
    interval: Interval
    selected: int = Field(description="positive outcomes")
    selection_rate: float | None = Field(description="selected / observed; null when nothing was observed")
    axes: list[ArmAxis]
    unseen: list[str] = Field(
        default_factory=list, description="axes of which nothing is left in what is asked: what flips there is noise"
    )
    beside: Beside | None = Field(default=None, description="null: the suite as it is")
