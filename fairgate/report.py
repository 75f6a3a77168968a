"""The typed report of one run: ``report.json``, from which every other form is rendered."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from fairgate.bar.findings import Changes, Reused, SignOffUse
from fairgate.comparison import BaselineInfo, Comparison
from fairgate.results import Remark, Result, SuiteResult
from fairgate.verdict import Verdict

SCHEMA: Literal["fairgate.report/1"] = "fairgate.report/1"


class Tokens(Result):
    """Tokens as the servers reported them; null where no server did."""

    prompt: int | None = None
    completion: int | None = None


class Account(Result):
    """What was asked of one party of a run, and what it took."""

    role: Literal["system", "judge", "panel", "embeddings"]
    name: str = Field(description="as the configuration calls it; of embeddings the model")
    calls: int = Field(description="calls that were made, answered or not, repairs included; further tries come on top")
    cached: int = Field(default=0, description="questions that the cache answered, none of them a call")
    resumed: int = Field(default=0, description="calls of an interrupted part of this run, among calls")
    retried: int = 0
    failed: dict[str, int] = Field(default_factory=dict, description="reason code: calls without an answer")
    tokens: Tokens = Field(default_factory=Tokens)
    cost_usd: float | None = Field(default=None, description="null: no price, or no tokens reported")
    seconds: float = Field(default=0.0, description="waited for answers, summed over calls made at the same time")
    models: list[str] = Field(default_factory=list, description="as the server called it")
    fingerprints: list[str] = Field(default_factory=list, description="as the server reported them")


class Evidence(Result):
    """What was asked and what it took."""

    calls: int = 0
    cached: int = 0
    resumed: int = Field(default=0, description="calls of an interrupted part of this run, among calls")
    failed: int = 0
    retries: int = 0
    seconds: float = 0.0
    cost_usd: float | None = Field(default=None, description="null: the price of some model is not known")
    tokens: Tokens = Field(default_factory=Tokens)
    oldest_cached_s: float | None = Field(default=None, description="age of the oldest answer from the cache")
    models: list[Account] = Field(default_factory=list, description="account by account, who was asked")
    remarks: list[Remark] = Field(default_factory=list, description="what a reader has to know about the calls")


class Git(Result):
    """The commit that was judged."""

    commit: str
    dirty: bool | None = Field(default=None, description="tracked files differ from the commit; null: not known")


class ProfileInfo(Result):
    """The part of the configuration that a run is about."""

    name: str | None = Field(description="null: no profile, and rules are left out that are limited to profiles")
    tags: list[str] = Field(description="only cases with one of these were asked; empty: all")
    left_out: dict[str, list[str]] = Field(description="suite: ids of its rules that were not judged")
    message: str = Field(description="one plain sentence, not escaped for any format")


class Report(Result):
    """One run. ``system`` has an entry for each system asked: what it is, and what the server said it is."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True, populate_by_name=True)

    schema_: Literal["fairgate.report/1"] = Field(default=SCHEMA, alias="schema")
    verdict: Verdict
    exit_code: int
    name: str
    when: str | None = Field(default=None, description="UTC time at which the run ended, 2026-11-30T08:29:51Z")
    case: str | None = Field(default=None, description="the only case that was run; null: all of them")
    reused: Reused | None = Field(default=None, description="the earlier run whose verdict was taken over")
    not_reused: str | None = Field(default=None, description="why the verdict of the baseline was not taken over")
    changes: Changes | None = Field(default=None, description="the bar against that of the base; null: no base")
    signoffs: list[SignOffUse] = Field(default_factory=list, description="every sign-off on file, used or not")
    profile: ProfileInfo | None = None
    suites: list[SuiteResult]
    baseline: BaselineInfo | None = Field(default=None, description="what the run was compared with; null: nothing")
    comparison: Comparison | None = Field(default=None, description="what became better and worse since the baseline")
    cannot_tell: list[str] = Field(description="what this report cannot tell, in sentences")
    evidence: Evidence
    fingerprint: str = Field(description="sha256 over the inputs: configuration, golden files, prompts, version")
    system: dict[str, dict[str, Any]]
    git: Git | None
    versions: dict[str, str]

    def to_json(self) -> str:
        """The text of ``report.json``: UTF-8, keys in the order of the contract, no NaN."""
        return self.model_dump_json(by_alias=True, exclude_none=False, indent=2) + "\n"
