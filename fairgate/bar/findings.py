"""What looking at the bar yields, in the words of ``report.json``."""

from datetime import date, datetime
from typing import Literal

from pydantic import Field, JsonValue

from fairgate.results import Result

Code = Literal[
    "relaxed",
    "removed",
    "changed",
    "cases_deleted",
    "expected_changed",
    "cases_changed",
    "cases_unreadable",
    "base_unknown",
]


class Change(Result):
    """One way in which a change lowers the bar, or may lower it: a person has to look until somebody signed it off."""

    code: Code
    suite: str | None = Field(default=None, description="null: of the whole run")
    rule: str | None = None
    key: str = Field(description="where it stands, e.g. rules[gender-gap].max_group_gap")
    old: JsonValue = Field(default=None, description="in the base")
    new: JsonValue = Field(default=None, description="in the head")
    cases: list[str] = Field(default_factory=list, description="ids of the cases that it is about, at most 20")
    count: int = Field(default=0, description="how many cases it is about")
    message: str
    signed_off: bool = False


class Changes(Result):
    """The bar of the head held against the bar of the base."""

    state: Literal["compared", "new", "unknown"] = Field(
        description="new: the base had no such configuration; unknown: the base could not be read"
    )
    base: str | None = Field(description="the commit that the head was compared with")
    message: str = Field(description="what was compared, or why it could not be")
    lowered: list[Change] = Field(default_factory=list)


SignOffState = Literal["used", "unneeded", "expired", "not_matching"]


class SignOffUse(Result):
    """One entry of ``.fairgate/signoffs.yaml`` and what became of it."""

    target: Literal["run", "suite", "rule"]
    name: str
    suite: str | None = None
    fingerprint: str
    who: str
    reason: str
    until: date
    state: SignOffState
    message: str
    added: bool | None = Field(default=None, description="by this very change; null: not known")


class Reused(Result):
    """The earlier run whose verdict was taken over, since nothing that it rests on has changed."""

    source: str = Field(description="the report that it was taken from")
    when: datetime = Field(description="UTC")
    commit: str | None
    message: str
