"""What the cache may answer for, through the gate: a judge for itself alone, and only with whole replies."""

import itertools
import json
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from fault_server import completion, listening, send

from fairgate import gate
from fairgate.config import load
from fairgate.models.engine import Keeping
from fairgate.world import World

CONFIG = """\
judges:
  j: {type: openai, model: m, base_url: "URL/v1"}
  a: {type: openai, model: m, base_url: "URL/v1"}
  b: {type: openai, model: m, base_url: "URL/v1"}
rag:
  name: support
  cases: golden.jsonl
  judge: j
  panel: [j, a, b]
  allow_related_panel: true
  band: 0.2
  rules: [{id: faithful, metric: faithfulness, min: 0.5}]
"""
SOURCE = "The warranty is 24 months."
ROW = {"sample_id": "s", "user_query": "How long?", "retrieved_context": [SOURCE], "generated_answer": "24 months."}


@dataclass
class Judges:
    """One model that judges, and remembers what it was asked.

    :param ids: claims of the two that it gives a verdict on
    :param more: what else stands in its answers
    """

    ids: list[int] = field(default_factory=lambda: [1, 2])
    more: Callable[[], dict[str, str]] = dict
    asked: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        messages = json.loads(body)["messages"]
        verdicts = [{"id": id, "quote": SOURCE, "supported": id == 1} for id in self.ids]
        is_check = "contexts" in messages[1]["content"]
        said: Any = {"verdicts": verdicts} if is_check else {"claims": ["It is 24 months.", "It covers water."]}
        with self._lock:
            self.asked[body] += 1
            answer = {**json.loads(completion(json.dumps(said))), **self.more()}
        send(handler, 200, json.dumps(answer).encode())


def run(folder: Path, url: str) -> Any:
    (folder / "fairgate.yaml").write_text(CONFIG.replace("URL", url), encoding="utf-8")
    (folder / "golden.jsonl").write_text(json.dumps(ROW) + "\n", encoding="utf-8")
    world = World(environ={"NO_PROXY": "*"}, sleep=lambda _: None)
    return gate.run(load(folder / "fairgate.yaml"), world, keeping=Keeping(cache=folder / "cache")).report.evidence


def by_name(evidence: Any) -> dict[str, tuple[int, int]]:
    """Calls, and answers of the cache."""
    return {account.name: (account.calls, account.cached) for account in evidence.models}


def test_judges_of_one_model_never_share_a_vote(tmp_path: Path) -> None:
    judges = Judges()
    with listening(judges.play) as url:
        assert by_name(run(tmp_path, url)) == {"j": (2, 0), "a": (1, 0), "b": (1, 0)}
        assert sorted(judges.asked.values()) == [1, 3], "the same words to three judges are three questions"
        assert by_name(run(tmp_path, url)) == {"j": (0, 2), "a": (0, 1), "b": (0, 1)}
    assert judges.asked.total() == 4


def test_a_list_that_lacks_verdicts_is_asked_for_again(tmp_path: Path) -> None:
    judges = Judges(ids=[1])
    with listening(judges.play) as url:
        first = by_name(run(tmp_path, url))
        again = by_name(run(tmp_path, url))
        judges.ids = [1, 2]
        mended = by_name(run(tmp_path, url))
        last = by_name(run(tmp_path, url))
    assert first["j"] == (3, 0), "claims, verdicts, and their repair"
    assert again["j"] == (2, 1), "only the claims were whole"
    assert mended["j"] == (1, 1)
    assert last["j"] == (0, 2)


@pytest.mark.parametrize("what", ["model", "system_fingerprint"])
def test_a_model_that_changes_within_a_run_is_a_remark(tmp_path: Path, what: str) -> None:
    names = itertools.chain(["first-1"], itertools.repeat("later-2"))
    judges = Judges(more=lambda: {what: next(names)})
    with listening(judges.play) as url:
        evidence = run(tmp_path, url)
    (changed,) = [remark for remark in evidence.remarks if remark.code == "model_changed"]
    assert "first-1" in changed.message
    assert "later-2" in changed.message
    with listening(Judges().play) as url:
        assert not run(tmp_path, url).remarks
