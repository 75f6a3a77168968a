"""Three models on a loopback server that disagree, one of them down: the same through the gate, over HTTP."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from fairgate import gate
from fairgate.config import load
from fairgate.verdict import Verdict
from fairgate.world import World
from tests.models.models_helpers import Server, answer, completion, serve

CONFIG = """\
judges:
  j: {type: openai, model: m1, base_url: "URL/v1", retries: 0, concurrency: 1}
  a: {type: openai, model: m2, base_url: "URL/v1", retries: 0, concurrency: 1}
  b: {type: openai, model: m3, base_url: "URL/v1", retries: 0, concurrency: 1}
rag:
  name: support
  cases: golden.jsonl
  judge: j
  panel: [j, a, b]
  band: 0.2
  rules: [{id: faithful, metric: faithfulness, min: 0.5}]
"""
SOURCE = "The warranty is 24 months and covers the switch."
CLAIMS = ["The warranty is 24 months.", "It covers water."]


@pytest.fixture
def server() -> Iterator[Server]:
    with serve() as scripted:
        yield scripted


def judged(supported: list[bool]) -> str:
    verdicts = [{"id": at, "quote": SOURCE, "supported": yes} for at, yes in enumerate(supported, start=1)]
    return json.dumps({"verdicts": verdicts})


def judge(folder: Path, server: Server, votes: dict[str, list[bool] | None]) -> Any:
    """Run the gate; a model with the votes None is down."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        body = server.seen[-1].body
        if "contexts" not in body["messages"][-1]["content"]:
            completion(json.dumps({"claims": CLAIMS}), model=body["model"])(handler)
        elif (said := votes[body["model"]]) is None:
            answer(503, {"error": {"message": "down"}})(handler)
        else:
            completion(judged(said), model=body["model"])(handler)

    server.steps = [step]
    (folder / "fairgate.yaml").write_text(CONFIG.replace("URL", server.url), encoding="utf-8")
    row = {
        "sample_id": "s1",
        "user_query": "How long?",
        "retrieved_context": [SOURCE],
        "generated_answer": "24 months.",
    }
    (folder / "golden.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    return gate.run(load(folder / "fairgate.yaml"), World(environ={"NO_PROXY": "*"}, sleep=lambda _: None)).report


@pytest.mark.parametrize(
    ("second", "third", "verdict"),
    [
        ([True, True], [False, False], Verdict.PASS),
        ([False, False], [False, False], Verdict.FAIL),
        ([False, False], None, Verdict.MANUAL_REVIEW),
        ([True, True], None, Verdict.PASS),
        (None, None, Verdict.INSUFFICIENT_EVIDENCE),
    ],
)
def test_a_panel_over_http(
    tmp_path: Path, server: Server, second: list[bool] | None, third: list[bool] | None, verdict: Verdict
) -> None:
    report = judge(tmp_path, server, {"m1": [True, False], "m2": second, "m3": third})
    (suite,) = report.suites
    assert report.verdict is verdict
    assert suite.cases[0].scores["faithfulness"].arbitrated
    assert sorted(seen.body["model"] for seen in server.seen) == ["m1", "m1", "m2", "m3"]
    assert report.evidence.calls == 4
    assert report.evidence.failed == [second, third].count(None)
    assert {info.name: info.reported for info in suite.judges}["a"] == ([] if second is None else ["m2"])
