"""The part ``systems`` of the configuration: what is under test, as it is asked in production."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from fairgate.config.section import Problem, Section
from fairgate.config.suite import Decider
from fairgate.config.values import Filled, Flag, Number, Text, Typed, Whole, choice, refused, shown

_RESERVED = ("INPUT_", "GITHUB_", "ACTIONS_")
_KEY_STARTS = re.compile(r"(sk|pk|gsk|hf|xai|gh[a-z]|github_pat|glpat|AKIA|AIza)[-_A-Z0-9]", re.ASCII)
_SECRET_HEADERS = (
    *("authorization", "proxy-authorization", "cookie"),
    *("api-key", "x-api-key", "x-goog-api-key", "x-auth-token", "ocp-apim-subscription-key"),
)
_SECRET_QUERIES = ("key", "api_key", "apikey", "api-key", "token", "access_token", "sig", "code", "subscription-key")


def key_name(name: str) -> str:
    """The name of an environment variable that holds a secret; what looks like the secret itself is never shown."""
    looks_random = len(name) >= 20 and re.search(r"\d", name) and re.search(r"[a-z]", name)
    if _KEY_STARTS.match(name) or looks_random or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise refused(
            "this is not the name of an environment variable (if it is the key itself, take it out of the file and "
            "replace it at its issuer); expected a name such as OPENAI_KEY"
        )
    if name.upper().startswith(_RESERVED):
        raise refused(
            f"found {name}; names that begin with INPUT_, GITHUB_ or ACTIONS_ are refused, since they would hand "
            "GitHub's own tokens to a model server: use another variable"
        )
    return name


def web_address(url: str) -> str:
    """An http or https address without a user or a password in it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise refused(f"this is no address: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise refused("this address holds a user or a password: take it out and name the secret with api_key_env")
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\s\x00-\x1f\x7f]", url):
        raise refused(f"found {shown(url)}, expected an address such as http://localhost:8000/v1")
    return url


def header_name(name: str) -> str:
    """The name of a header."""
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise refused(f"found the header {shown(name)}, expected a name such as X-Team")
    return name


def _looks_secret(value: str) -> bool:
    return len(value) >= 20 and bool(_KEY_STARTS.match(value) or value.lower().startswith(("bearer ", "basic ")))


def header_names(headers: dict[str, str]) -> dict[str, str]:
    """Headers that can be sent, and none that carries a secret."""
    for name, value in headers.items():
        header_name(name)
        if name.lower() in _SECRET_HEADERS or _looks_secret(value):
            raise refused(
                f"the header {name} carries a secret, which is never written here: use api_key_env, and api_key_header "
                "where the key does not go into Authorization"
            )
        if not re.fullmatch(r"[\t\x20-\x7e]*", value):
            raise refused(f"the header {name} has a value that is not plain ASCII on one line")
    return headers


def query_names(query: dict[str, str]) -> dict[str, str]:
    """Parameters of a query, none of which carries a secret."""
    for name, value in query.items():
        if name.lower() in _SECRET_QUERIES or _looks_secret(value):
            raise refused(
                f"the parameter {shown(name)} carries a secret, which is never written here, nor sent in an address "
                "that servers log: use api_key_env and api_key_header"
            )
    return query


KeyName = Annotated[Text, AfterValidator(key_name)]
Url = Annotated[Text, AfterValidator(web_address)]
HeaderName = Annotated[Text, AfterValidator(header_name)]
Headers = Annotated[dict[Text, Text], AfterValidator(header_names)]
Query = Annotated[dict[Text, Text], AfterValidator(query_names)]


class Limits(Section):
    """How a system may be asked."""

    concurrency: Whole = Field(default=16, ge=1, le=256)
    timeout_s: Number = Field(default=60, gt=0, le=3600)
    retries: Whole = Field(default=2, ge=0, le=10)
    max_per_minute: Whole | None = Field(default=None, ge=1, le=1_000_000)


class Price(Section):
    """What a model costs, in US dollars for a million tokens."""

    input: Number = Field(ge=0)
    output: Number = Field(ge=0)


class ModelServer(Limits):
    """A server with models, its key, and what its gateway wants besides."""

    base_url: Url
    api_key_env: KeyName | None = None
    api_key_header: HeaderName | None = None
    headers: Headers = Field(default_factory=dict)
    query: Query = Field(default_factory=dict)

    def problems(self) -> Iterator[Problem]:
        """An address to which a path can be added, a header only for a key."""
        parts = urlsplit(self.base_url)
        if parts.query or parts.fragment:
            yield ("base_url",), "a path is added to this address; write what follows the ? under query"
        yield from header_without_key(self.api_key_header, self.api_key_env)


def header_without_key(header: str | None, key: str | None) -> Iterator[Problem]:
    """A header for a key, and no key."""
    if header is not None and key is None:
        yield ("api_key_header",), f"the header {header} would carry no key; name its variable with api_key_env"


class OpenAIModel(ModelServer):
    """A model behind any OpenAI-compatible server."""

    type: Annotated[Literal["openai"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.openai.com/v1"
    family: Filled | None = None
    price: Price | None = None


class AnthropicModel(ModelServer):
    """A model behind Anthropic's Messages API."""

    type: Annotated[Literal["anthropic"], BeforeValidator(choice)]
    model: Filled
    base_url: Url = "https://api.anthropic.com"
    family: Filled | None = None
    price: Price | None = None


class LitellmModel(Limits):
    """A model that the package litellm reaches: needs the extra ``fairgate[litellm]``."""

    type: Annotated[Literal["litellm"], BeforeValidator(choice)]
    model: Filled
    base_url: Url | None = None
    api_key_env: KeyName | None = None
    family: Filled | None = None
    price: Price | None = None


def kind_of(value: Any) -> str:
    """The tag of a part that says its type."""
    return f"<{value.get('type') if isinstance(value, dict) else getattr(value, 'type', None)}>"


ModelConfig = Annotated[
    Annotated[OpenAIModel, Tag("<openai>")]
    | Annotated[AnthropicModel, Tag("<anthropic>")]
    | Annotated[LitellmModel, Tag("<litellm>")],
    Discriminator(kind_of),
]


class PromptFile(Section):
    """A message whose text is a sandboxed Jinja2 file."""

    role: Annotated[Literal["system", "user", "assistant"], BeforeValidator(choice)]
    file: Filled


class Turns(Section):
    """Earlier turns of a conversation, taken from a field of the case when it has them."""

    turns: Filled


def _message_kind(value: Any) -> str:
    return "<turns>" if isinstance(value, Turns) or (isinstance(value, dict) and "turns" in value) else "<file>"


Message = Annotated[
    Annotated[PromptFile, Tag("<file>")] | Annotated[Turns, Tag("<turns>")], Discriminator(_message_kind)
]


_LITELLM_OWN = (
    *("api_key", "api_base", "base_url", "timeout", "request_timeout", "num_retries", "max_retries", "fallbacks"),
    *(
        "context_window_fallback_dict",
        "mock_response",
        "mock_tool_calls",
        "mock_timeout",
        "drop_params",
        "extra_headers",
    ),
)
"""Arguments of ``litellm.completion`` that would carry a secret, fake an answer, or ask another model."""


class Decides(Section):
    """What every system may say of itself: whether a person decides with its answer at hand, or it decides alone."""

    decision_maker: Decider | None = None


class ChatSystem(Decides):
    """A chat model with a prompt, with the parameters of production."""

    type: Annotated[Literal["chat"], BeforeValidator(choice)]
    model: ModelConfig
    messages: list[Message] = Field(min_length=1)
    params: dict[Text, Typed] = Field(default_factory=dict)

    def problems(self) -> Iterator[Problem]:
        """What the Messages API needs to know; what litellm must not be told."""
        if isinstance(self.model, LitellmModel):
            for name in self.params:
                if name in _LITELLM_OWN:
                    yield ("params", name), f"{name} is set by fairgate itself; leave it out of params"
        limit = self.params.get("max_tokens")
        stated = isinstance(limit, int) and not isinstance(limit, bool) and limit > 0
        if isinstance(self.model, AnthropicModel) and not stated:
            yield ("params",), "the Messages API answers no request without max_tokens; write production's value here"


class HttpSystem(Limits, Decides):
    """A service: a JSON template out, a JMESPath expression into its answer."""

    type: Annotated[Literal["http"], BeforeValidator(choice)]
    url: Url
    method: Annotated[Literal["POST", "PUT", "GET"], BeforeValidator(choice)] = "POST"
    body: Typed = None
    headers: Headers = Field(default_factory=dict)
    api_key_env: KeyName | None = None
    api_key_header: HeaderName | None = None
    answer: Filled
    contexts: Filled | None = None

    def problems(self) -> Iterator[Problem]:
        """A header only for a key."""
        yield from header_without_key(self.api_key_header, self.api_key_env)


class CommandSystem(Limits, Decides):
    """A command that reads questions as JSON lines on stdin and writes answers as JSON lines on stdout."""

    type: Annotated[Literal["command"], BeforeValidator(choice)]
    command: list[Text] = Field(min_length=1)
    per_question: Flag | None = None


def function_name(name: str) -> str:
    """``module:function``, dots allowed on both sides."""
    module, colon, function = name.partition(":")
    if not colon or not all(part.isidentifier() for part in f"{module}.{function}".split(".")):
        raise refused(f"found {shown(name)}, expected module:function, such as screening.rules:decide")
    return name


class PythonSystem(Limits, Decides):
    """A Python callable, ``module:function``."""

    type: Annotated[Literal["python"], BeforeValidator(choice)]
    callable: Annotated[Text, AfterValidator(function_name)]


class RecordedSystem(Decides):
    """Answers that an earlier step wrote."""

    type: Annotated[Literal["recorded"], BeforeValidator(choice)]
    answers: Filled


SystemConfig = Annotated[
    Annotated[ChatSystem, Tag("<chat>")]
    | Annotated[HttpSystem, Tag("<http>")]
    | Annotated[CommandSystem, Tag("<command>")]
    | Annotated[PythonSystem, Tag("<python>")]
    | Annotated[RecordedSystem, Tag("<recorded>")],
    Discriminator(kind_of),
]
