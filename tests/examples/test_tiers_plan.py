"""The tier of a pull request on an open model: the figures of ``fairgate plan`` keep the budget that the page shows."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main

MODEL = """\
    type: chat
    model:
      type: openai
      model: qwen2.5-7b-instruct
      base_url: "http://127.0.0.1:9/v1"
      family: qwen
      price: {input: 0.10, output: 0.30}
    messages:
      - {role: system, file: prompts/loan.md}
      - {role: user, file: prompts/application.j2}
    params: {temperature: 0, max_tokens: 8}
"""
SCREENER = "    type: python\n    callable: loan_screen:decide\n"
BUDGET = "{tags: [mini], max_seconds: 90}"


@pytest.fixture
def tiers(repository: Path, tmp_path: Path) -> Path:
    """The example with a chat model in place of its screener, and the budget of the page."""
    shutil.copytree(repository / "examples/loan-screen", tmp_path / "loan-screen")
    config = tmp_path / "loan-screen/fairgate-tiers.yaml"
    text = config.read_text("utf-8")
    assert text.count(SCREENER) == 1
    assert text.count(BUDGET) == 1
    budget = "{tags: [mini], max_seconds: 90, max_cost_usd: 0.02}"
    config.write_text(text.replace(SCREENER, MODEL).replace(BUDGET, budget), encoding="utf-8")
    return config


def plan(config: Path, profile: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["plan", str(config), "--profile", profile, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_pull_request_takes_less_than_90_seconds_and_two_cents(
    tiers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = plan(tiers, "pr", capsys)
    calls, cost, seconds = (planned["totals"][key][1] for key in ("calls", "cost_usd", "seconds"))
    assert calls == 16 * 4 + 16  # every person asks, and the much lower income is put once for each case
    assert 0 < cost <= 0.02
    assert 0 < seconds <= 90
    assert planned["budget"] == []


def test_the_night_would_not_fit_the_budget_of_a_pull_request(tiers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tiers.read_text("utf-8").replace("nightly: {max_seconds: 1800}", "nightly: {max_seconds: 5}")
    tiers.write_text(text, encoding="utf-8")
    assert plan(tiers, "nightly", capsys)["budget"] != []
