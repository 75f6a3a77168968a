"""The plan of a run as ``fairgate plan --json`` prints it (schema ``fairgate.plan/1``)."""

from typing import Literal

from pydantic import ConfigDict, Field

from fairgate.results import Calls, Result

SCHEMA: Literal["fairgate.plan/1"] = "fairgate.plan/1"

Range = tuple[float, float]
"""The least and the most: nothing is borderline, and everything is put to the panel."""


class PlannedCalls(Calls):
    """Calls of one suite to somebody, with an estimate of what they take; retries and repairs come on top.

    ``null``: not known (a service or a command tells nobody its tokens) or not priced.
    """

    concurrency: int = Field(description="calls in flight at once")
    prompt_tokens: float | None = Field(description="of one call, estimated from the text of the requests")
    completion_tokens: float | None = Field(description="of one call, assumed or measured")
    tokens: Range | None = Field(description="of all calls, both ways")
    cost_usd: Range | None
    seconds_per_call: float = Field(description="assumed or measured")
    seconds: Range


class RulePlan(Result):
    """What a rule can come to at this suite's size.

    :param cases: the unit of the rule: base cases, scored cases, cases of the smallest group
    :param pass_up_to: the most cases against the rule with which it passes; null when it cannot pass, or not a count
    :param fail_from: the fewest with which it fails; null when it cannot fail, or not a count
    """

    suite: str
    rule: str
    metric: str
    limit: float
    cases: int
    pass_up_to: int | None = None
    fail_from: int | None = None
    can_pass: bool
    message: str = Field(description="one plain sentence, not escaped for any format")


class Totals(Result):
    """Of the whole run."""

    calls: tuple[int, int]
    tokens: Range | None
    cost_usd: Range | None
    seconds: Range


class Plan(Result):
    """What a run would take and what it could decide."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)

    schema_: Literal["fairgate.plan/1"] = Field(default=SCHEMA, alias="schema")
    name: str
    profile: str | None
    calls: list[PlannedCalls]
    totals: Totals
    rules: list[RulePlan]
    budget: list[str] = Field(description="budgets that the run may, or will, exceed, in sentences")
    method: list[str] = Field(description="how the numbers were come by, in sentences")

    def to_json(self) -> str:
        """UTF-8, keys in the order above."""
        return self.model_dump_json(by_alias=True, indent=2) + "\n"
