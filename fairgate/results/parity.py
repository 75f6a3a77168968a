"""What decided cases yield besides rules: calibration, reported and never decided on."""

from pydantic import Field

from fairgate.results.base import Result


class CalibrationBin(Result):
    """One row of a reliability table: the cases whose probability is in [from, to), or in [from, 1] for the last."""

    lower: float
    upper: float
    n: int
    probability: float | None = Field(description="mean; null in an empty bin")
    observed: float | None = Field(description="share of label 1; null in an empty bin")


class CalibrationGroup(Result):
    """Expected calibration error of one group: reported, never a rule."""

    attribute: list[str]
    group: str
    n: int
    ece: float | None
    left_out: int = Field(default=0, description="probabilities that are blank or no number in [0, 1]")
    bins: list[CalibrationBin] = Field(default_factory=list, description="its reliability table")
