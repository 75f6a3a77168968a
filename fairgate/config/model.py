"""The typed model of ``fairgate.yaml``: every key that this version knows, and nothing else.

Checks that need only one value or one mapping stand here and in ``fairgate.config.checks``; what needs the file system
(prompt files, golden files, their columns) is checked where those are read. Texts of errors are for the person who
wrote the file.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
from fairgate.config.compared import (
    ComparisonRule,
    FairnessComparison,
    SwapComparison,
    measured_in,
    nothing_to_compare,
    numbered,
    rule_kind,
)
from fairgate.config.profile import Profile, profile_problems, rule_problems
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section, Where
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
    Fraction,
    Name,
    Number,
    OneOrMany,
    Plain,
    Typed,
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

Many = OneOrMany()
Attribute = Annotated[list[Name], Field(min_length=1), Many]
Groups = Annotated[list[Name], Field(min_length=1)]
Version = Annotated[Literal[1], BeforeValidator(version_one)]


# --- rules -----------------------------------------------------------------------------------------------------------


class WorstGroup(Section):
    """A floor under, or a ceiling over, every group's rate: exactly one of the two."""

    min: Fraction | None = None
    max: Fraction | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one of the two."""
        if (self.min is None) == (self.max is None):
            yield (), f"found {_both_or_none(self.min)} min and max, expected exactly one of them"


class SwapRule(Rule):
    """A limit over a swap suite: a flip rate, a gap between groups, or a floor under a group's selection rate."""

    max_flip_rate: Fraction | None = None
    rate: Annotated[Literal["selection"], BeforeValidator(choice)] | None = None
    attribute: Attribute | None = None
    max_group_gap: Fraction | None = None
    worst_group: WorstGroup | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one metric, with what it needs and nothing that it would not look at."""
        limits = {
            "max_flip_rate": self.max_flip_rate,
            "max_group_gap": self.max_group_gap,
            "worst_group": self.worst_group,
        }
        given = [name for name, limit in limits.items() if limit is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none of them"
            yield (), f"rule {self.id}: found {found}, expected exactly one of {', '.join(limits)}"
        elif self.max_flip_rate is None and (self.rate is None or self.attribute is None):
            yield (), f"rule {self.id}: {given[0]} needs rate: selection and an attribute"
        elif self.max_flip_rate is not None and (self.rate is not None or self.attribute is not None):
            yield (), f"rule {self.id}: max_flip_rate counts flips over every axis: remove rate and attribute"


ParityRate = Literal[
    "error", "false_positive", "false_negative", "selection", "positive_predictive_value", "false_discovery_rate"
]


class FairnessRule(Rule):
    """A limit over decided cases: a gap between groups, a ratio of them, or a floor under the worst of them."""

    rate: Annotated[ParityRate, BeforeValidator(choice)]
    attribute: Attribute
    max_group_gap: Fraction | None = None
    min_ratio: Fraction | None = None
    worst_group: WorstGroup | None = None
    max_left_out: Fraction | None = None

    @property
    def metric(self) -> Literal["max_group_gap", "min_ratio", "worst_group"]:
        """The one metric that the rule names."""
        if self.max_group_gap is not None:
            return "max_group_gap"
        return "worst_group" if self.min_ratio is None else "min_ratio"

    def problems(self) -> Iterator[Problem]:
        """Exactly one metric; a ratio only of a rate that is good to have."""
        metrics = {"max_group_gap": self.max_group_gap, "min_ratio": self.min_ratio, "worst_group": self.worst_group}
        named = [key for key, value in metrics.items() if value is not None]
        if len(named) != 1:
            found = " and ".join(named) or "none of max_group_gap, min_ratio and worst_group"
            yield (), f"rule {self.id}: found {found}, expected exactly one of the three"
        if self.min_ratio is not None and self.rate != "selection":
            message = f"min_ratio is the four-fifths rule over rate: selection, found {self.rate}; use max_group_gap"
            yield ("min_ratio",), f"rule {self.id}: {message}"


AnySwapRule = Annotated[
    Annotated[SwapRule, Tag("<measured>")] | Annotated[SwapComparison, Tag("<compared>")],
    Discriminator(rule_kind),
]

AnyFairnessRule = Annotated[
    Annotated[FairnessRule, Tag("<measured>")] | Annotated[FairnessComparison, Tag("<compared>")],
    Discriminator(rule_kind),
]


def _both_or_none(one_of_them: object) -> str:
    return "neither of" if one_of_them is None else "both"


# --- suites ----------------------------------------------------------------------------------------------------------


class Outcome(Section):
    """The words that a decision is made of. Everything else is a missing outcome."""

    positive: list[Plain] = Field(min_length=1)
    negative: list[Plain] = Field(min_length=1)


class ColumnOutcome(Outcome):
    """The same, in a column of a file with decisions."""

    column: Name


class ExpectedCases(Section):
    """What is expected, fixed before outcomes are seen: how many cases, or which ids. Exactly one of the two."""

    cases: Whole | None = Field(default=None, ge=1)
    ids: Filled | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one of the two."""
        if (self.cases is None) == (self.ids is None):
            yield (), f"found {_both_or_none(self.cases)} cases and ids, expected exactly one of them"


LevelFields = Annotated[dict[Name, Plain], Field(min_length=1)]
Level = Annotated[list[LevelFields], Field(min_length=1), Many]
Change = Annotated[dict[Name, Typed], Field(min_length=1)]


class HarnessSuite(Section):
    """A swap suite that asks a system."""

    name: Filled
    system: Name
    cases: Filled
    axes: dict[Name, dict[Name, Level]] = Field(min_length=1)
    outcome: Outcome
    must_respond_to: list[Change] = Field(default_factory=list)
    written_rules: list[AnySwapRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[SwapRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, SwapRule)

    def problems(self) -> Iterator[Problem]:
        """Axes that can be swapped, rules over axes that exist."""
        yield from checks.axis_problems(self.axes)
        yield from _rule_problems(self.written_rules, self.axes)


class DecisionsSuite(Section):
    """A swap suite over decisions that were made elsewhere."""

    name: Filled
    decisions: Filled
    base: Name
    axes: dict[Name, Groups] = Field(min_length=1)
    outcome: ColumnOutcome
    expected: ExpectedCases | None = None
    written_rules: list[AnySwapRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[SwapRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, SwapRule)

    def problems(self) -> Iterator[Problem]:
        """Declared levels, columns of their own, rules over axes that exist."""
        yield from checks.declaration_problems(self.axes, "axes")
        for axis, levels in self.axes.items():
            if len(levels) < 2:
                yield ("axes", axis), f"an axis needs at least two levels, found {checks.listed(levels)}"
            if axis in (self.base, self.outcome.column):
                yield ("axes", axis), f"the column {shown(axis)} is named as base or outcome already; expected another"
        if self.base == self.outcome.column:
            yield ("outcome", "column"), f"the column {shown(self.base)} is named as base already; expected another"
        yield from _rule_problems(self.written_rules, self.axes)


def _swap_kind(value: Any) -> str:
    decided = isinstance(value, DecisionsSuite) or (isinstance(value, dict) and "decisions" in value)
    return "<decisions>" if decided else "<harness>"


SwapSuite = Annotated[
    Annotated[HarnessSuite, Tag("<harness>")] | Annotated[DecisionsSuite, Tag("<decisions>")],
    Discriminator(_swap_kind),
]


Words = Annotated[list[Plain], Field(min_length=1), Many]
DecisionWords = dict[Annotated[Literal["0", "1"], BeforeValidator(choice)], Words]
"""The words that mean 1 and 0, in labels and predictions."""


class FairnessSuite(Section):
    """Parity of decided cases."""

    name: Filled
    cases: Filled
    label: Name | None = None
    prediction: Name
    probability: Name | None = None
    values: DecisionWords = Field(default_factory=dict)
    attributes: dict[Name, Groups] = Field(min_length=1)
    intersections: list[Annotated[list[Name], Field(min_length=1)]] = Field(default_factory=list)
    min_cell: Whole = Field(default=30, ge=0)
    max_left_out: Fraction = 0.10
    unit: Name | None = None
    expected: ExpectedCases | None = None
    method: Annotated[Literal["interval", "exact"], BeforeValidator(choice)] = "interval"
    fail_error: Annotated[Literal["rule", "run"], BeforeValidator(choice)] = "rule"
    strata: Annotated[list[Name], Field(default_factory=list), Many]
    written_rules: list[AnyFairnessRule] = Field(min_length=1, alias="rules")

    @property
    def rules(self) -> list[FairnessRule]:
        """The rules over this run alone."""
        return measured_in(self.written_rules, FairnessRule)

    def problems(self) -> Iterator[Problem]:
        """Declared groups, crossings and rules over them, the columns that the rules read."""
        yield from checks.column_problems({"label": self.label, "prediction": self.prediction})
        yield from checks.word_problems(self.values)
        yield from self._strata_problems()
        yield from checks.declaration_problems(self.attributes, "attributes")
        for i, crossing in enumerate(self.intersections):
            yield from checks.crossing_problems(crossing, self.attributes, ("intersections", i))
        yield from _rule_problems(self.written_rules, self.attributes)
        for i, rule in numbered(self.written_rules, FairnessRule):
            if rule.worst_group is None:
                yield from checks.gap_problems(rule.attribute, self.attributes, ("rules", i), f"rule {rule.id}: ")
            if rule.rate != "selection" and self.label is None:
                yield (
                    ("rules", i, "rate"),
                    (f"rule {rule.id}: the rate {rule.rate} reads labels; name their column with label"),
                )

    def _strata_problems(self) -> Iterator[Problem]:
        """A stratum is a column of its own, named once."""
        used = {"id": "id", self.prediction: "prediction", self.label: "label", self.probability: "probability"}
        for name in self.strata:
            if name in used:
                yield ("strata",), f"the column {shown(name)} is read as {used[name]} already; expected another"
            used[name] = "a stratum"


def _rule_problems(rules: list[Any], declared: Any) -> Iterator[Problem]:
    yield from checks.rule_id_problems([rule.id for rule in rules])
    yield from nothing_to_compare(rules)
    for i, rule in enumerate(rules):
        where = ("rules", i, "attribute")
        yield from checks.crossing_problems(
            getattr(rule, "attribute", None) or [], declared, where, f"rule {rule.id}: "
        )


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
        for i, rag in enumerate(self.rag):
            yield from self._rag_problems(rag, ("rag", i))
        yield from self._profile_problems()

    @property
    def placed(self) -> Iterator[tuple[Where, HarnessSuite | DecisionsSuite | FairnessSuite | RagSuite]]:
        """Every suite with its place, in the order in which they are judged."""
        yield from ((("swap", i), suite) for i, suite in enumerate(self.swap))
        yield from ((("fairness", i), suite) for i, suite in enumerate(self.fairness))
        yield from ((("rag", i), suite) for i, suite in enumerate(self.rag))

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
