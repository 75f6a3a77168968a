"""What every part of the report is: immutable, closed, finite, and text that UTF-8 can hold."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Interval = tuple[float, float]


class Result(BaseModel):
    """Base of everything that goes into the report: immutable, closed, finite, and text that UTF-8 can hold."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)  # built when used

    @model_validator(mode="before")
    @classmethod
    def _writable(cls, value: Any) -> Any:
        return _without_lone_surrogates(value)


def _without_lone_surrogates(value: Any) -> Any:
    """Lone surrogates (half a character, as a model's JSON may hold) written out as text: ``\\ud800``."""
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_without_lone_surrogates(key): _without_lone_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_without_lone_surrogates(item) for item in value)
    return value


class Remark(Result):
    """Something a reader has to know that is not a rule: a code and one sentence."""

    code: str
    message: str


class Review(Result):
    """What a suite asks a person for, whatever its rules came to: MANUAL_REVIEW until it is signed off."""

    code: Literal["human_signoff_required", "automatic_decision"]
    message: str = Field(description="why, and the sign-off that settles it")
    signed_off: bool = False


class Counts(Result):
    """What a suite was about, printed before any verdict."""

    cases: int = Field(description="cases (swap: base cases) expected")
    of: int | None = Field(default=None, description="cases in the golden file, where a profile's tags chose from them")
    expected: int = Field(description="observations expected: variants asked, rows decided")
    observed: int
    missing: int
    missing_reasons: dict[str, int] = Field(default_factory=dict, description="reason code: how many")
    unreadable: dict[str, int] = Field(default_factory=dict, description="spelling of an unreadable outcome: how many")
    details: list[str] = Field(default_factory=list, description="first sentences of failed calls, one per reason")
    completeness: Literal["declared", "not_declared"] = "declared"
