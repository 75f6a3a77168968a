"""Calls of a run with what they take: tokens, money and time, each from the nearest thing that is known."""

from collections.abc import Mapping
from math import ceil
from typing import Any, Protocol

from fairgate.config.model import ChatSystem, CommandSystem, Config, PythonSystem, RecordedSystem
from fairgate.config.triad import LocalEmbeddings
from fairgate.plan.forms import PlannedCalls, Range
from fairgate.plan.measured import Measured, Taken
from fairgate.results import Calls

COMPLETION = 250
"""Tokens of a reply where nothing limits or measured them."""

SECONDS = 2.0
"""Of a call to a model or a service where nothing measured them."""

SECONDS_OF_COMMAND = 0.5
EMBEDDED_TEXTS = 64 * 30
"""Tokens of a request for embeddings: 64 questions of about 30 tokens."""


class Price(Protocol):
    """US dollars for a million tokens."""

    @property
    def input(self) -> float:
        """Of the request."""

    @property
    def output(self) -> float:
        """Of the reply."""


def planned(calls: Calls, config: Config, prompt: float | None, measured: Measured) -> PlannedCalls:
    """Calls with an estimate of what they take.

    :param prompt: tokens of one request; None where that is nobody's business or not known
    """
    party = party_of(calls, config)
    taken = measured.of(calls.kind, calls.name)
    completion = _completion(calls, party, taken) if prompt is not None else None
    if prompt is not None and taken is not None and taken.prompt and not taken.shared:
        prompt = taken.prompt
    concurrency = getattr(getattr(party, "model", party), "concurrency", 1)
    seconds, waves = _seconds(party, taken, concurrency)
    one = None if prompt is None or completion is None else prompt + completion
    return PlannedCalls(
        **calls.model_dump(),
        concurrency=concurrency,
        prompt_tokens=None if prompt is None else round(prompt, 1),
        completion_tokens=None if completion is None else round(completion, 1),
        tokens=None if one is None else _times(calls, one),
        cost_usd=_cost(calls, price_of(party), prompt, completion, free=_is_free(party)),
        seconds_per_call=round(seconds, 3),
        seconds=(waves(calls.least), waves(calls.most)),
    )


def party_of(calls: Calls, config: Config) -> Any:
    """Whom the calls go to, as configured."""
    if calls.kind == "system":
        return config.systems[calls.name]
    return config.embeddings if calls.kind == "embeddings" else config.judges[calls.name]


def price_of(party: Any) -> Price | None:
    """The price of a system's or judge's model; None where the configuration names none."""
    price: Price | None = getattr(getattr(party, "model", None), "price", None) or getattr(party, "price", None)
    return price


def _is_free(party: Any) -> bool:
    """Whether asking costs nothing as far as anybody can know: it runs here."""
    return isinstance(party, PythonSystem | RecordedSystem | CommandSystem | LocalEmbeddings)


def _completion(calls: Calls, party: Any, taken: Taken | None) -> float:
    if calls.kind == "embeddings":
        return 0.0
    if taken is not None and taken.completion is not None:
        return taken.completion
    params: Mapping[str, Any] = party.params if isinstance(party, ChatSystem) else {}
    limits = [params.get(name) for name in ("max_tokens", "max_completion_tokens")]
    return float(min([COMPLETION, *(limit for limit in limits if isinstance(limit, int))]))


def _seconds(party: Any, taken: Taken | None, concurrency: int) -> tuple[float, Any]:
    """Seconds of a call, and of so many calls."""
    if taken is not None and taken.seconds is not None:
        each = taken.seconds
        return each, (lambda calls: round(calls * each, 1)) if taken.shared else _waves(each, concurrency)
    if isinstance(party, PythonSystem | RecordedSystem):
        return 0.0, _waves(0.0, concurrency)
    each = SECONDS_OF_COMMAND if isinstance(party, CommandSystem) else SECONDS
    return each, _waves(each, concurrency)


def _waves(each: float, concurrency: int) -> Any:
    return lambda calls: round(ceil(calls / concurrency) * each, 1)


def _times(calls: Calls, one: float) -> Range:
    return round(calls.least * one), round(calls.most * one)


def _cost(
    calls: Calls, price: Price | None, prompt: float | None, completion: float | None, *, free: bool
) -> Range | None:
    """US dollars of all calls; None without a price or without tokens."""
    if free:
        return 0.0, 0.0
    if price is None or prompt is None:
        return None
    one = (prompt * price.input + (completion or 0.0) * getattr(price, "output", 0.0)) / 1e6
    return round(calls.least * one, 6), round(calls.most * one, 6)
