"""The typed model of ``fairgate.yaml``: every key that this version knows, and nothing else.

Checks that need only one value or one mapping stand here and in ``fairgate.config.checks``; what needs the file system
(prompt files, golden files, their columns) is checked where those are read. Texts of errors are for the person who
wrote the file.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from fairgate.config import checks
from fairgate.config.compared import ComparisonRule, FairnessComparison, SwapComparison
from fairgate.config.fairness import FairnessRule, FairnessSuite
from fairgate.config.mitigation import Mitigation
from fairgate.config.outcome import ColumnOutcome, Outcome
from fairgate.config.profile import Profile, profile_problems, rule_problems
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section, Where
from fairgate.config.stakes import stakes_problems
from fairgate.config.suite import ExpectedCases, Many, WorstGroup
from fairgate.config.swap import DecisionsSuite, HarnessSuite, SwapRule, SwapSuite
from fairgate.config.systems import (
    ChatSystem,
    CommandSystem,
    HttpSystem,
    Limits,
    OpenAIModel,
    PromptFile,
    PythonSystem,
    RecordedSystem,
    SystemConfig,
    Turns,
)
from fairgate.config.triad import EmbeddingsConfig, JudgeConfig, RagSuite, TriadRule, related
from fairgate.config.values import (
    Duration,
    Filled,
    Flag,
    Name,
    Number,
    Whole,
    choice,
    shown,
    version_one,
)

__all__ = [
    "ChatSystem",
    "ColumnOutcome",
    "CommandSystem",
    "ComparisonRule",
    "Config",
    "DecisionsSuite",
    "ExpectedCases",
    "FairnessComparison",
    "FairnessRule",
    "FairnessSuite",
    "HarnessSuite",
    "HttpSystem",
    "Limits",
    "Mitigation",
    "OpenAIModel",
    "Outcome",
    "Policy",
    "PromptFile",
    "PythonSystem",
    "RagSuite",
    "RecordedSystem",
    "Rule",
    "Section",
    "SwapComparison",
    "SwapRule",
    "SwapSuite",
    "SystemConfig",
    "TriadRule",
    "Turns",
    "WorstGroup",
]

Version = Annotated[Literal[1], BeforeValidator(version_one)]


class CacheConfig(Section):
    """How long an answer may be kept from one run to the next, with ``--cache``."""

    max_age: Duration = 7 * 24 * 3600.0


class Config(Section):
    """A whole ``fairgate.yaml``."""

    version: Version = 1
    name: Filled = "fairgate"
    confidence: Number = Field(default=0.95, gt=0.5, lt=1)
    systems: dict[Name, SystemConfig] = Field(default_factory=dict)
    swap: Annotated[list[SwapSuite], Many] = Field(default_factory=list)
    fairness: Annotated[list[FairnessSuite], Many] = Field(default_factory=list)
    judges: dict[Name, JudgeConfig] = Field(default_factory=dict)
    embeddings: EmbeddingsConfig | None = None
    rag: Annotated[list[RagSuite], Many] = Field(default_factory=list)
    baseline: Filled | None = None
    on_missing_baseline: Annotated[Literal["insufficient", "ignore"], BeforeValidator(choice)] = "insufficient"
    reuse: Flag = False
    max_age: Duration = 7 * 24 * 3600.0
    profiles: dict[Name, Profile] = Field(default_factory=dict)
    max_calls: Whole | None = Field(default=None, ge=1)
    max_cost_usd: Number | None = Field(default=None, gt=0)
    max_seconds: Number | None = Field(default=None, gt=0)
    cache: CacheConfig = Field(default_factory=CacheConfig)

    def problems(self) -> Iterable[Problem]:
        """Suite names that are unambiguous, systems and judges that exist and are not of one kin."""
        yield from self._suite_name_problems()
        for i, suite in enumerate(self.swap):
            if isinstance(suite, HarnessSuite):
                yield from _unnamed(suite.system, self.systems, "systems", ("swap", i, "system"))
                yield from self._mitigation_problems(suite, ("swap", i, "mitigations"))
        for i, rag in enumerate(self.rag):
            yield from self._rag_problems(rag, ("rag", i))
        yield from self._profile_problems()
        yield from stakes_problems(self)

    @property
    def placed(self) -> Iterator[tuple[Where, HarnessSuite | DecisionsSuite | FairnessSuite | RagSuite]]:
        """Every suite with its place, in the order in which they are judged."""
        yield from ((("swap", i), suite) for i, suite in enumerate(self.swap))
        yield from ((("fairness", i), suite) for i, suite in enumerate(self.fairness))
        yield from ((("rag", i), suite) for i, suite in enumerate(self.rag))

    def _mitigation_problems(self, suite: HarnessSuite, where: Where) -> Iterator[Problem]:
        for i, tried in enumerate(suite.mitigations):
            if tried.system is not None:
                yield from _unnamed(tried.system, self.systems, "systems", (*where, i, "system"))
            for j, name in enumerate(tried.profiles or []):
                yield from _unnamed(name, self.profiles, "profiles", (*where, i, "profiles", j))

    def _profile_problems(self) -> Iterator[Problem]:
        suites = list(self.placed)
        yield from profile_problems(self.profiles, [suite.name for _, suite in suites])
        rules = [((*where, "rules", i), rule) for where, suite in suites for i, rule in enumerate(suite.written_rules)]
        yield from rule_problems(rules, self.profiles)
        for name, profile in self.profiles.items():
            yield from self._profile_judge_problems(profile, ("profiles", name))

    def _profile_judge_problems(self, profile: Profile, where: Where) -> Iterator[Problem]:
        if profile.judge is not None:
            yield from _unnamed(profile.judge, self.judges, "judges", (*where, "judge"))
        for i, name in enumerate(profile.panel or []):
            yield from _unnamed(name, self.judges, "judges", (*where, "panel", i))
        panel = {name: self.judges[name] for name in profile.panel or [] if name in self.judges}
        for suite in self.rag:
            if (profile.suites is None or suite.name in profile.suites) and not suite.allow_related_panel:
                kin = related(panel, self.systems.get(suite.system or ""))
                yield from (((*where, "panel"), f"suite {suite.name}: {message}") for message in kin)

    def _suite_name_problems(self) -> Iterator[Problem]:
        taken: set[str] = set()
        for kind, suites in (("swap", self.swap), ("fairness", self.fairness), ("rag", self.rag)):
            for i, suite in enumerate(suites):
                if suite.name in taken:
                    yield (
                        (kind, i, "name"),
                        f"the suite name {shown(suite.name)} is taken; give each one of its own",
                    )
                taken.add(suite.name)

    def _rag_problems(self, suite: RagSuite, where: Where) -> Iterator[Problem]:
        if suite.system is not None:
            yield from _unnamed(suite.system, self.systems, "systems", (*where, "system"))
        yield from _unnamed(suite.judge, self.judges, "judges", (*where, "judge"))
        panel = {name: self.judges[name] for name in suite.panel or [] if name in self.judges}
        for i, name in enumerate(suite.panel or []):
            yield from _unnamed(name, self.judges, "judges", (*where, "panel", i))
        system = self.systems.get(suite.system or "")
        if not suite.allow_related_panel:
            yield from (((*where, "panel"), message) for message in related(panel, system))
        for i, rule in enumerate(suite.written_rules):
            if rule.metric == "answer_relevance" and self.embeddings is None:
                message = f"rule {rule.id}: answer_relevance compares embeddings; add embeddings: {{type: local}}"
                yield (*where, "rules", i, "metric"), message


def _unnamed(name: str, known: Mapping[str, Any], kind: str, where: Where) -> Iterator[Problem]:
    """A name that stands under nothing of its kind."""
    if name not in known:
        yield where, checks.unknown(name, known, f"a name under {kind}")


class Policy(Section):
    """A ``release.yaml``: what the release demands, over what the suite file says."""

    version: Version = 1
    confidence_level: Number | None = Field(default=None, gt=0.5, lt=1)
