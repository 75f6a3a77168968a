"""Suites without their secret, skipped: nobody is asked, nothing passes, and only the job's status looks away."""

import json
from pathlib import Path

import pytest

from fairgate import gate
from fairgate.config import load
from fairgate.github.annotations import of_report
from fairgate.github.outcome import Judged
from fairgate.github.settings import FAIL_ON, Settings
from fairgate.render.markdown import comment
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.withheld import unset_secrets
from fairgate.world import World

# Nothing listens on port 9: a call that is made anyway shows as a failed one.
CONFIG = """\
systems:
  loan: {type: http, url: "http://127.0.0.1:9/x", body: {q: "{{ ten }}"}, answer: a, api_key_env: LOAN_KEY}
  free: {type: python, callable: "withheld_screen:decide"}
judges:
  fast: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1"}
  a: {type: openai, model: m1, base_url: "http://127.0.0.1:9/v1", api_key_env: A_KEY}
  b: {type: anthropic, model: m2, base_url: "http://127.0.0.1:9", api_key_env: B_KEY}
swap:
  - name: keyed
    system: loan
    cases: golden.csv
    axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
    outcome: {positive: ["yes"], negative: ["no"]}
    rules: [{id: flips, max_flip_rate: 0.05}]
  - name: free
    system: free
    cases: golden.csv
    axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
    outcome: {positive: ["yes"], negative: ["no"]}
    rules: [{id: free-flips, max_flip_rate: 0.05}]
rag: {name: bot, cases: rag.jsonl, judge: fast, panel: [a, b, fast], rules: [{id: f, metric: faithfulness, min: 0.8}]}
"""
SCREEN = "def decide(fields):\n    return 'no' if int(fields['income']) < FLIPS and fields['ten'] == 'Lan' else 'yes'\n"
OPEN = Verdict.INSUFFICIENT_EVIDENCE


def report(folder: Path, *, flips: int = 0, environ: dict[str, str] | None = None, only: str | None = None) -> Report:
    (folder / "withheld_screen.py").write_text(SCREEN.replace("FLIPS", str(flips)), encoding="utf-8")
    rows = ["id,income", *(f"c{at},{at}" for at in range(80))]
    (folder / "golden.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    case = {"sample_id": "s", "user_query": "q", "retrieved_context": ["c"], "generated_answer": "An answer."}
    (folder / "rag.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    file = folder / "fairgate.yaml"
    file.write_text(CONFIG, encoding="utf-8")
    world = World(environ=environ or {})
    return gate.run(load(file), world, only=only, skip_without_secrets=True).report


def status(found: Report) -> int:
    return Judged(found, "report.json", None, None).status(frozenset(FAIL_ON.values()))  # type: ignore[arg-type]


def test_a_suite_without_its_secret_is_not_asked_and_does_not_pass(tmp_path: Path) -> None:
    found = report(tmp_path, environ={"A_KEY": "k", "B_KEY": " "})
    keyed, free, bot = found.suites
    assert (keyed.skipped, free.skipped, bot.skipped) == ("missing_secret", None, "missing_secret")
    assert (keyed.verdict, bot.verdict) == (OPEN, OPEN)
    assert keyed.counts.missing_reasons == {"missing_secret": 160}
    assert found.evidence.calls == 160  # those of the suite that needs no key
    assert found.evidence.failed == 0


def test_the_comment_says_that_nothing_was_measured(tmp_path: Path) -> None:
    page = comment(report(tmp_path, only="keyed"), limit=60_000)
    assert "> Nothing was measured: LOAN" in page
    assert "it is not a pass" in page


@pytest.mark.parametrize(("flips", "verdict", "code"), [(0, Verdict.MANUAL_REVIEW, 4), (40, Verdict.FAIL, 1)])
def test_the_other_suites_decide_the_status(tmp_path: Path, flips: int, verdict: Verdict, code: int) -> None:
    found = report(tmp_path, flips=flips)  # without a flip it says yes to all: a suite that a person has to look at
    assert (found.verdict, status(found)) == (verdict, code)


def test_nothing_but_skipped_suites_is_green_and_no_pass(tmp_path: Path) -> None:
    found = report(tmp_path, only="keyed")
    assert (found.verdict, found.exit_code, status(found)) == (OPEN, 3, 0)
    assert {one.level for one in of_report(found, frozenset(FAIL_ON.values()), None)} == {"warning"}


def test_which_secrets_are_unset(tmp_path: Path) -> None:
    report(tmp_path, only="free")
    config = load(tmp_path / "fairgate.yaml").config
    unset = [unset_secrets(suite, config, {"A_KEY": "k"}) for _, suite in config.placed]
    assert unset == [["LOAN_KEY"], [], ["B_KEY"]]


def test_with_every_secret_nothing_is_skipped(tmp_path: Path) -> None:
    found = report(tmp_path, environ={"LOAN_KEY": "k", "A_KEY": "k", "B_KEY": "k"}, only="free")
    assert found.suites[0].skipped is None


def test_the_inputs(tmp_path: Path) -> None:
    job = {"GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_NAME": "push", "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1"}
    job |= {"GITHUB_WORKSPACE": str(tmp_path), "INPUT_PROFILE": " pr ", "INPUT_ON-MISSING-SECRETS": "skip"}
    inputs = Settings.from_environ(job).inputs
    assert (inputs.profile, inputs.on_missing_secrets) == ("pr", "skip")
    with pytest.raises(Exception, match="on-missing-secrets: found 'ignore', expected one of insufficient, skip"):
        Settings.from_environ({**job, "INPUT_ON-MISSING-SECRETS": "ignore"})
