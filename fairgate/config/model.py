"""The typed model of ``fairgate.yaml``: every key that this version knows, and nothing else.

Checks that need only one value or one mapping stand here; what needs the file system (prompt files, golden files,
their columns) is checked where those are read. Texts of errors are for the person who wrote the file.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from fairgate.config.values import Flag, Plain, Typed, one_or_many

Fraction = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Attribute = Annotated[list[Plain], BeforeValidator(one_or_many), Field(min_length=1)]
Many = BeforeValidator(one_or_many)


class Section(BaseModel):
    """Base of every part of the configuration: immutable, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# --- systems ---------------------------------------------------------------------------------------------------------


class Limits(Section):
    """How a system may be asked."""

    concurrency: int = Field(default=16, ge=1, le=256)
    timeout_s: float = Field(default=60, gt=0, le=3600)
    retries: int = Field(default=2, ge=0, le=10)


class OpenAIModel(Limits):
    """A model behind any OpenAI-compatible server."""

    type: Literal["openai"]
    model: str = Field(min_length=1)
    base_url: str = "https://api.openai.com/v1"
    api_key_env: str | None = None
    family: str | None = None


class PromptFile(Section):
    """A message whose text is a sandboxed Jinja2 file."""

    role: Literal["system", "user", "assistant"]
    file: str


class Turns(Section):
    """Earlier turns of a conversation, taken from a field of the case when it has them."""

    turns: str


class ChatSystem(Section):
    """A chat model with a prompt, with the parameters of production."""

    type: Literal["chat"]
    model: OpenAIModel
    messages: list[PromptFile | Turns] = Field(min_length=1)
    params: dict[str, Typed] = Field(default_factory=dict)


class HttpSystem(Limits):
    """A service: a JSON template out, a JMESPath expression into its answer."""

    type: Literal["http"]
    url: str
    method: Literal["POST", "PUT", "GET"] = "POST"
    body: Typed = None
    headers: dict[str, str] = Field(default_factory=dict)
    api_key_env: str | None = None
    answer: str


class CommandSystem(Limits):
    """A command that reads one JSON object on stdin and writes one on stdout."""

    type: Literal["command"]
    command: list[str] = Field(min_length=1)


class PythonSystem(Limits):
    """A Python callable, ``module:function``."""

    type: Literal["python"]
    callable: str = Field(pattern=r"^[\w.]+:[\w.]+$")


class RecordedSystem(Section):
    """Answers that an earlier step wrote."""

    type: Literal["recorded"]
    answers: str


SystemConfig = Annotated[
    ChatSystem | HttpSystem | CommandSystem | PythonSystem | RecordedSystem, Field(discriminator="type")
]


# --- rules -----------------------------------------------------------------------------------------------------------


class WorstGroup(Section):
    """A floor under, or a ceiling over, every group's rate: exactly one of the two."""

    min: Fraction | None = None
    max: Fraction | None = None


class Rule(Section):
    """What every rule has: a name, who decided the limit and why, and whether a person has to look in any case."""

    id: Plain = Field(min_length=1)
    decided_by: str | None = None
    why: str | None = None
    requires_manual_review: Flag = False


class SwapRule(Rule):
    """A limit over a swap suite: a flip rate, or a floor under a group's selection rate."""

    max_flip_rate: Fraction | None = None
    rate: Literal["selection"] | None = None
    attribute: Attribute | None = None
    worst_group: WorstGroup | None = None


class FairnessRule(Rule):
    """A limit over decided cases: a gap between groups, or a floor under the worst of them."""

    rate: Literal["error", "false_positive", "false_negative", "selection"]
    attribute: Attribute
    max_group_gap: Fraction | None = None
    worst_group: WorstGroup | None = None
    max_left_out: Fraction | None = None


# --- suites ----------------------------------------------------------------------------------------------------------


class Outcome(Section):
    """The words that a decision is made of. Everything else is a missing outcome."""

    positive: list[Plain] = Field(min_length=1)
    negative: list[Plain] = Field(min_length=1)


class ColumnOutcome(Outcome):
    """The same, in a column of a file with decisions."""

    column: Plain


class ExpectedCases(Section):
    """What is expected, fixed before outcomes are seen: how many cases, or which ids. Exactly one of the two."""

    cases: int | None = Field(default=None, ge=1)
    ids: str | None = None


LevelFields = dict[Plain, Plain]
Level = Annotated[list[LevelFields], Many, Field(min_length=1)]


class HarnessSuite(Section):
    """A swap suite that asks a system."""

    name: str = Field(min_length=1)
    system: str
    cases: str
    axes: dict[Plain, dict[Plain, Level]] = Field(min_length=1)
    outcome: Outcome
    must_respond_to: list[dict[Plain, Typed]] = Field(default_factory=list)
    rules: list[SwapRule] = Field(min_length=1)


class DecisionsSuite(Section):
    """A swap suite over decisions that were made elsewhere."""

    name: str = Field(min_length=1)
    decisions: str
    base: Plain
    axes: dict[Plain, list[Plain]] = Field(min_length=1)
    outcome: ColumnOutcome
    expected: ExpectedCases | None = None
    rules: list[SwapRule] = Field(min_length=1)


def _swap_kind(value: Any) -> str:
    return "decisions" if isinstance(value, dict) and "decisions" in value else "harness"


SwapSuite = Annotated[
    Annotated[HarnessSuite, Tag("harness")] | Annotated[DecisionsSuite, Tag("decisions")], Discriminator(_swap_kind)
]


class FairnessSuite(Section):
    """Parity of decided cases."""

    name: str = Field(min_length=1)
    cases: str
    label: Plain | None = None
    prediction: Plain
    probability: Plain | None = None
    attributes: dict[Plain, list[Plain]] = Field(min_length=1)
    intersections: list[list[Plain]] = Field(default_factory=list)
    min_cell: int = Field(default=30, ge=0)
    max_left_out: Fraction = 0.10
    unit: Plain | None = None
    expected: ExpectedCases | None = None
    method: Literal["interval"] = "interval"
    rules: list[FairnessRule] = Field(min_length=1)


class Config(Section):
    """A whole ``fairgate.yaml``."""

    version: Literal[1] = 1
    name: str = "fairgate"
    confidence: float = Field(default=0.95, gt=0.5, lt=1, allow_inf_nan=False)
    systems: dict[str, SystemConfig] = Field(default_factory=dict)
    swap: Annotated[list[SwapSuite], Many] = Field(default_factory=list)
    fairness: Annotated[list[FairnessSuite], Many] = Field(default_factory=list)


class Policy(Section):
    """A ``release.yaml``: what the release demands, over what the suite file says."""

    version: Literal[1] = 1
    confidence_level: float | None = Field(default=None, gt=0.5, lt=1, allow_inf_nan=False)
