"""What a run takes: tokens by script, money by price, time by waves; what is not known stays unknown."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairgate import gate
from fairgate.cli import main
from fairgate.config import load
from fairgate.errors import InputError
from fairgate.plan.build import make_plan
from fairgate.plan.calls import _cost
from fairgate.plan.forms import Plan
from fairgate.plan.measured import NOTHING, Measured, read_measured
from fairgate.plan.tokens import request_tokens, tokens
from fairgate.render.plan import dollars, duration
from fairgate.results import Calls
from fairgate.world import World

CONFIG = """\
systems:
  chat:
    type: chat
    model: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1", concurrency: 8}
    messages: [{role: user, file: prompt.j2}]
    params: {max_tokens: 8}
  app: {type: http, url: "http://127.0.0.1:9/x", body: {q: "{{ user_query }}"}, answer: a, contexts: "c[]"}
judges:
  fast: {type: openai, model: f, base_url: "http://127.0.0.1:9/v1", concurrency: 4}
  a: {type: openai, model: a, base_url: "http://127.0.0.1:9/a"}
  b: {type: anthropic, model: b, base_url: "http://127.0.0.1:9"}
swap:
  name: screen
  system: chat
  cases: golden.csv
  axes: {gender: {male: {ten: Nam}, female: {ten: Lan}}}
  outcome: {positive: ["yes"], negative: ["no"]}
  rules: [{id: flips, max_flip_rate: 0.05}]
rag:
  name: bot
  system: app
  cases: rag.jsonl
  judge: fast
  panel: [a, b, fast]
  rules: [{id: f, metric: faithfulness, min: 0.8}]
profiles:
  pr: {tags: mini, suites: screen, max_seconds: 1, max_calls: 20}
  full: {panel_always: true, max_cost_usd: 1}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "prompt.j2").write_text("Decide about {{ ten }}.", encoding="utf-8")
    rows = ["id,tags", *(f"c{at},{'mini' if at < 10 else ''}" for at in range(100))]
    (tmp_path / "golden.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    lines = [json.dumps({"sample_id": f"s{at}", "user_query": "What is the rate?"}) for at in range(6)]
    (tmp_path / "rag.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    path = tmp_path / "fairgate.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def plan(config: Path, profile: str | None = None, measured: Measured = NOTHING) -> Plan:
    return make_plan(load(config, profile), World(environ={}), measured)


def by_name(found: Plan) -> dict[str, Any]:
    return {one.name: one for one in found.calls}


def test_tokens_by_script() -> None:
    assert tokens("abcd") == 1
    assert tokens("ñé") == 1
    assert tokens("ễ") == 0.5
    assert tokens("利率") == 2
    assert request_tokens({"model": "m", "messages": [{"role": "user", "content": "abcd"}]}) == 4 + 1
    assert request_tokens({"system": "abcd", "messages": [{"role": "user", "content": [{"text": "abcd"}]}]}) == 10
    assert request_tokens("no chat") == 0


def test_a_chat_system(config: Path) -> None:
    chat = by_name(plan(config))["chat"]
    assert (chat.least, chat.most, chat.concurrency) == (200, 200, 8)
    assert chat.prompt_tokens == 8.2  # 4 for the message, 17 characters of ASCII; shown to a tenth
    assert chat.completion_tokens == 8
    assert chat.tokens == (round(200 * 16.25), round(200 * 16.25))
    assert chat.cost_usd is None
    assert chat.seconds == (25 * 2.0, 25 * 2.0)


def test_judges_of_answers_that_do_not_exist_yet(config: Path) -> None:
    found = by_name(plan(config))
    assert (found["app"].tokens, found["app"].cost_usd) == (None, None)  # a service tells nobody its tokens
    assert (found["fast"].least, found["fast"].most) == (12, 12)
    assert (found["a"].least, found["a"].most) == (0, 6)
    assert found["a"].prompt_tokens > 900  # four contexts of 960 characters
    assert found["b"].prompt_tokens > 900
    assert found["fast"].prompt_tokens < found["a"].prompt_tokens  # half of its calls list claims only
    assert plan(config).totals.tokens is None


def test_a_profile_asks_less_and_its_panel_always(config: Path) -> None:
    mini, full = plan(config, "pr"), plan(config, "full")
    assert mini.totals.calls == (20, 20)
    assert [rule.cases for rule in mini.rules] == [10]
    assert (by_name(full)["a"].least, by_name(full)["a"].most) == (6, 6)


def test_the_counts_are_those_of_the_gate(config: Path) -> None:
    counted = [(one.suite, one.kind, one.name, one.least, one.most) for one in gate.plan(load(config))]
    assert [(one.suite, one.kind, one.name, one.least, one.most) for one in plan(config).calls] == counted


def test_budgets(config: Path) -> None:
    assert plan(config, "pr").budget == [
        "max_seconds 1: will not do; the run takes at least 6, what is left is missing evidence."
    ]
    (unknown,) = plan(config, "full").budget
    assert "max_cost_usd 1: the cost is not known" in unknown


def test_cost() -> None:
    calls, price = Calls(suite="s", kind="judge", name="j", least=100, most=200), SimpleNamespace(input=2.0, output=8.0)
    assert _cost(calls, price, 1000, 250, free=False) == (0.4, 0.8)
    assert _cost(calls, None, 1000, 250, free=False) is None
    assert _cost(calls, price, None, None, free=False) is None
    assert _cost(calls, None, None, None, free=True) == (0, 0)


def report(folder: Path, evidence: dict[str, Any]) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps({"schema": "fairgate.report/1", "evidence": evidence}), encoding="utf-8")
    return path


def test_an_earlier_run_measures(config: Path) -> None:
    said = {"calls": 100, "seconds": 50.0, "tokens": {"prompt": 900, "completion": 400}}
    chat = by_name(plan(config, "pr", read_measured(report(config.parent, said))))["chat"]
    assert (chat.completion_tokens, chat.seconds_per_call, chat.seconds) == (4, 0.5, (10, 10))


def test_an_earlier_run_that_accounts_for_everybody(config: Path) -> None:
    account = {
        "role": "system",
        "name": "chat",
        "calls": 10,
        "seconds": 5.0,
        "tokens": {"prompt": 90, "completion": 40},
    }
    said = {"calls": 100, "seconds": 500.0, "tokens": {}, "models": [account]}
    chat = by_name(plan(config, "pr", read_measured(report(config.parent, said))))["chat"]
    assert (chat.prompt_tokens, chat.completion_tokens, chat.seconds_per_call) == (9, 4, 0.5)
    assert chat.seconds == (1.5, 1.5)  # three waves of eight


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "other/1", "evidence": {}}', '{"evidence": 3}'])
def test_what_is_no_report_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "report.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"report\.json"):
        read_measured(path)
    with pytest.raises(InputError):
        read_measured(tmp_path / "absent.json")


def test_the_command(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(config), "--profile", "pr"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "profile pr: 20 calls. Nothing was called." in told
    assert "cannot pass at this size" in told
    assert "estimate, not a count" in told
    assert main(["plan", str(config), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)
    assert written["schema"] == "fairgate.plan/1"
    assert Plan.model_validate(written).to_json() == json.dumps(written, ensure_ascii=False, indent=2) + "\n"


def test_numbers_for_people() -> None:
    assert [dollars(cost) for cost in (None, (0.0, 0.0), (0.0123, 12.4))] == ["–", "0.00", "0.012 – 12.40"]
    assert [duration(ends) for ends in ((5.0, 5.0), (100.0, 600.0), (9000.0, 9000.0))] == [
        "5 s", "100 s – 10 min", "2.5 h",
    ]  # fmt: skip
