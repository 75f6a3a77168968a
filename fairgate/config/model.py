"""The typed model of ``fairgate.yaml``: every key that this version knows, and nothing else.

Checks that need only one value or one mapping stand here and in ``fairgate.config.checks``; what needs the file system
(prompt files, golden files, their columns) is checked where those are read. Texts of errors are for the person who
wrote the file.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
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
    Filled,
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
    "Config",
    "DecisionsSuite",
    "ExpectedCases",
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
    """A limit over a swap suite: a flip rate, or a floor under a group's selection rate."""

    refused_keys: ClassVar[dict[str, str]] = {
        "max_group_gap": "max_group_gap on a swap axis comes later, paired (exact paired test); until then use "
        "max_flip_rate and worst_group"
    }

    max_flip_rate: Fraction | None = None
    rate: Annotated[Literal["selection"], BeforeValidator(choice)] | None = None
    attribute: Attribute | None = None
    worst_group: WorstGroup | None = None

    def problems(self) -> Iterator[Problem]:
        """Exactly one metric, with what it needs and nothing that it would not look at."""
        if (self.max_flip_rate is None) == (self.worst_group is None):
            found = _both_or_none(self.worst_group)
            yield (), f"rule {self.id}: found {found} max_flip_rate and worst_group, expected exactly one of them"
        elif self.worst_group is not None and (self.rate is None or self.attribute is None):
            yield (), f"rule {self.id}: worst_group needs rate: selection and an attribute"
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
    rules: list[SwapRule] = Field(min_length=1)

    def problems(self) -> Iterator[Problem]:
        """Axes that can be swapped, rules over axes that exist."""
        yield from checks.axis_problems(self.axes)
        yield from _rule_problems(self.rules, self.axes)


class DecisionsSuite(Section):
    """A swap suite over decisions that were made elsewhere."""

    name: Filled
    decisions: Filled
    base: Name
    axes: dict[Name, Groups] = Field(min_length=1)
    outcome: ColumnOutcome
    expected: ExpectedCases | None = None
    rules: list[SwapRule] = Field(min_length=1)

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
        yield from _rule_problems(self.rules, self.axes)


def _swap_kind(value: Any) -> str:
    decided = isinstance(value, DecisionsSuite) or (isinstance(value, dict) and "decisions" in value)
    return "<decisions>" if decided else "<harness>"


SwapSuite = Annotated[
    Annotated[HarnessSuite, Tag("<harness>")] | Annotated[DecisionsSuite, Tag("<decisions>")],
    Discriminator(_swap_kind),
]


class FairnessSuite(Section):
    """Parity of decided cases."""

    name: Filled
    cases: Filled
    label: Name | None = None
    prediction: Name
    probability: Name | None = None
    attributes: dict[Name, Groups] = Field(min_length=1)
    intersections: list[Annotated[list[Name], Field(min_length=1)]] = Field(default_factory=list)
    min_cell: Whole = Field(default=30, ge=0)
    max_left_out: Fraction = 0.10
    unit: Name | None = None
    expected: ExpectedCases | None = None
    method: Annotated[Literal["interval", "exact"], BeforeValidator(choice)] = "interval"
    fail_error: Annotated[Literal["rule", "run"], BeforeValidator(choice)] = "rule"
    strata: Annotated[list[Name], Field(default_factory=list), Many]
    rules: list[FairnessRule] = Field(min_length=1)

    def problems(self) -> Iterator[Problem]:
        """Declared groups, crossings and rules over them, the columns that the rules read."""
        yield from checks.column_problems({"label": self.label, "prediction": self.prediction})
        yield from self._strata_problems()
        yield from checks.declaration_problems(self.attributes, "attributes")
        for i, crossing in enumerate(self.intersections):
            yield from checks.crossing_problems(crossing, self.attributes, ("intersections", i))
        yield from _rule_problems(self.rules, self.attributes)
        for i, rule in enumerate(self.rules):
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
    for i, rule in enumerate(rules):
        where = ("rules", i, "attribute")
        yield from checks.crossing_problems(rule.attribute or [], declared, where, f"rule {rule.id}: ")


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

    def problems(self) -> Iterable[Problem]:
        """Suite names that are unambiguous, systems and judges that exist and are not of one kin."""
        yield from self._suite_name_problems()
        for i, suite in enumerate(self.swap):
            if isinstance(suite, HarnessSuite):
                yield from _unnamed(suite.system, self.systems, "systems", ("swap", i, "system"))
        for i, rag in enumerate(self.rag):
            yield from self._rag_problems(rag, ("rag", i))

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
        for i, rule in enumerate(suite.rules):
            if rule.metric == "answer_relevance" and self.embeddings is None:
                message = f"rule {rule.id}: answer_relevance compares embeddings; add embeddings: {{type: local}}"
                yield (*where, "rules", i, "metric"), message


def _unnamed(name: str, known: Mapping[str, Any], kind: str, where: Where) -> Iterator[Problem]:
    """A name that stands under nothing of its kind."""
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"declared: {checks.listed(known)}"
        yield where, f"found {shown(name)}, expected a name under {kind}; {hint}"


class Policy(Section):
    """A ``release.yaml``: what the release demands, over what the suite file says."""

    version: Version = 1
    confidence_level: Number | None = Field(default=None, gt=0.5, lt=1)
