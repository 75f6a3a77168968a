"""What a run costs, through the gate: every reply that a server charges for is counted, usable or not."""

import json
import re
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from fault_server import listening, send

from fairgate import gate
from fairgate.config import load
from fairgate.models.engine import Keeping
from fairgate.verdict import Verdict
from fairgate.world import World

CONFIG = """\
systems:
  bot:
    type: chat
    model: {type: openai, model: bot, base_url: "URL/v1", retries: 1, concurrency: 4, price: {input: 100, output: 300}}
    messages: [{role: user, file: prompt.j2}]
judges:
  j: {type: openai, model: j, base_url: "URL/v1", retries: 1, concurrency: 4, price: {input: 700, output: 1100}}
rag:
  name: support
  system: bot
  cases: golden.jsonl
  judge: j
  rules: [{id: faithful, metric: faithfulness, min: 0.5}]
TOP
"""
SOURCE = "The warranty is 24 months."
PRICES = {"bot": (100, 300), "j": (700, 1100)}
CLAIMS = {"claims": [SOURCE]}
CHECKED = {"verdicts": [{"id": 1, "quote": SOURCE, "supported": True}]}


@dataclass
class Till:
    """Answers by the number of the case, and adds up what it charges.

    :param odd: what happens to a model's first answers to a case: of ``repair``, ``useless``, ``cut``, ``refused``,
        ``filtered``, ``busy`` (an error that may pass, charged for all the same)
    :ivar charged: model to tokens of prompts and of completions
    """

    odd: dict[tuple[str, int], str] = field(default_factory=dict)
    latency: float = 0.0
    calls: Counter[str] = field(default_factory=Counter)
    charged: dict[str, tuple[int, int]] = field(default_factory=dict)
    _seen: Counter[tuple[str, int]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        asked, model = body["messages"], body["model"]
        case = int(next(re.finditer(r"case (\d+)", json.dumps(asked)))[1])
        time.sleep(self.latency)
        with self._lock:
            self._seen[model, case] += 1
            tokens = 11 + case, 3 + self._seen[model, case]
            self.calls[model] += 1
            before = self.charged.get(model, (0, 0))
            self.charged[model] = before[0] + tokens[0], before[1] + tokens[1]
            time_asked = self._seen[model, case]
        send(handler, 200, json.dumps(self._reply(model, case, time_asked, asked, tokens)).encode())

    def cost(self, model: str) -> float:
        """US dollars."""
        (prompt, completion), (of_prompt, of_completion) = self.charged.get(model, (0, 0)), PRICES[model]
        return (prompt * of_prompt + completion * of_completion) / 1e6

    def _reply(self, model: str, case: int, time_asked: int, asked: Any, tokens: tuple[int, int]) -> dict[str, Any]:
        value = CHECKED if "contexts" in asked[-1]["content"] else CLAIMS
        said, finish = (SOURCE if model == "bot" else json.dumps(value)), "stop"
        odd, extra = self.odd.get((model, case)), {}
        if odd == "useless" or (odd == "repair" and time_asked == 1):
            said = "I would rather not say it in JSON"
        if odd == "cut" and time_asked == 1:
            said, finish = said[:10], "length"
        if odd == "filtered":
            finish = "content_filter"
        if odd == "refused":
            extra = {"refusal": "no"}
        usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}
        choice: dict[str, Any] = {"message": {"content": f"case {case}: {said}" if model == "bot" else said, **extra}}
        if odd == "busy" and time_asked == 1:
            choice["error"] = {"message": "overloaded", "code": 503}
        return {"model": model, "choices": [{**choice, "finish_reason": finish}], "usage": usage}


def place(folder: Path, url: str, cases: int, top: str = "") -> Path:
    (folder / "fairgate.yaml").write_text(CONFIG.replace("URL", url).replace("TOP", top), encoding="utf-8")
    (folder / "prompt.j2").write_text("{{ user_query }}", encoding="utf-8")
    rows = [
        {"sample_id": f"s{n}", "user_query": f"case {n}", "retrieved_context": [f"case {n}", SOURCE]}
        for n in range(cases)
    ]
    (folder / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder / "fairgate.yaml"


def run(config: Path, **facts: Any) -> Any:
    return gate.run(load(config), World(environ={"NO_PROXY": "*"}, sleep=lambda _: None), **facts).report


ODD = {
    ("j", 1): "repair",
    ("j", 2): "useless",
    ("j", 3): "cut",
    ("j", 4): "refused",
    ("j", 5): "busy",
    ("bot", 6): "cut",
    ("bot", 7): "refused",
    ("bot", 8): "filtered",
    ("bot", 9): "busy",
}


def test_the_cost_is_that_of_every_reply_that_was_charged_for(tmp_path: Path) -> None:
    till = Till(ODD)
    with listening(till.play) as url:
        report = run(place(tmp_path, url, 12), keeping=Keeping(tmp_path / "out" / "journal.jsonl"))
    evidence, accounts = report.evidence, {account.name: account for account in report.evidence.models}
    for name, account in accounts.items():
        assert account.cost_usd == pytest.approx(till.cost(name), abs=1e-9)
        assert (account.tokens.prompt, account.tokens.completion) == till.charged[name]
        assert account.calls + account.retried == till.calls[name]
    assert evidence.cost_usd == pytest.approx(till.cost("bot") + till.cost("j"), abs=1e-9)
    assert accounts["bot"].failed == {"truncated": 1, "refused": 1, "content_filter": 1}
    assert accounts["j"].failed == {"bad_judgement": 1, "judge_refused": 1}
    assert (accounts["bot"].retried, accounts["j"].retried) == (1, 1)
    assert report.verdict is Verdict.INSUFFICIENT_EVIDENCE


def test_what_was_paid_before_an_interruption_is_counted_again_to_the_cent(tmp_path: Path) -> None:
    till, keeping = Till(ODD), Keeping(tmp_path / "out" / "journal.jsonl")
    with listening(till.play) as url:
        config = place(tmp_path, url, 12)
        first = run(config, keeping=keeping)
        again = run(config, keeping=keeping)
    assert again.evidence.resumed == first.evidence.calls
    assert again.evidence.cost_usd == pytest.approx(till.cost("bot") + till.cost("j"), abs=1e-9)


@pytest.mark.parametrize("limit", ["max_cost_usd: 0.15", "max_calls: 70"])
def test_a_budget_is_not_passed_by_more_than_the_calls_in_flight(tmp_path: Path, limit: str) -> None:
    till = Till({("j", case): "repair" for case in range(40)}, latency=0.01)
    with listening(till.play) as url:
        whole = run(place(tmp_path, url, 40))
        assert whole.verdict is Verdict.PASS
        assert whole.evidence.cost_usd > 1
        calls_of_all = till.calls.total()
        till.calls.clear()
        till.charged.clear()
        till._seen.clear()
        report = run(place(tmp_path, url, 40, top=limit))
    cost = till.cost("bot") + till.cost("j")
    dearest = 2 * (50 * 700 + 6 * 1100) / 1e6  # a question to the judge with its repair
    assert report.evidence.cost_usd == pytest.approx(cost, abs=1e-9)
    if "cost" in limit:
        assert 0.15 <= cost < 0.15 + 4 * dearest
    else:
        assert 70 <= till.calls.total() <= 70 + 4
    assert till.calls.total() < calls_of_all
    assert report.verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert "budget_spent" in {remark.code for remark in report.evidence.remarks}
    (suite,) = report.suites
    assert suite.rules[0].verdict in (Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW)
