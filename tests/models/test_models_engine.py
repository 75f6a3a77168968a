"""The engine of a run, through the gate: nothing is lost, nothing is paid twice, and what is missing says why."""

import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fault_server import FAULTS, FaultServer, faulty

from fairgate import gate, output
from fairgate.cli import main
from fairgate.config import load
from fairgate.models import journal
from fairgate.models.engine import Keeping
from fairgate.models.stop import Stop
from fairgate.world import World

SECRET = "sk-very-secret-value"
CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: m, base_url: "URL/v1", api_key_env: LOAN_KEY, MODEL}
    messages: [{role: user, file: prompt.j2}]
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
  outcome: {positive: [APPROVE], negative: [REVIEW]}
  rules: [{id: flips, max_flip_rate: 0.3}]
TOP
"""


def place(folder: Path, server: FaultServer, *, cases: int = 60, model: str = "retries: 1", top: str = "") -> Path:
    text = CONFIG.replace("URL", server.url).replace("MODEL", model).replace("TOP", top)
    (folder / "fairgate.yaml").write_text(text, encoding="utf-8")
    (folder / "prompt.j2").write_text("{{ ten }}: {{ income }}", encoding="utf-8")
    (folder / "golden.csv").write_text("id,income\n" + "".join(f"c{i},{i}\n" for i in range(cases)), encoding="utf-8")
    return folder / "fairgate.yaml"


def world(**facts: Any) -> World:
    return World(environ={"LOAN_KEY": SECRET, "NO_PROXY": "*"}, **facts)


def run(config: Path, *, keeping: Keeping | None = None, stop: Stop | None = None, **facts: Any) -> Any:
    return gate.run(load(config), world(**facts), keeping=keeping, stop=stop)


def account(report: Any) -> Any:
    (found,) = report.evidence.models
    return found


def mostly(body: str) -> str:
    """A system that refuses the last cases, alike for everybody."""
    return "REVIEW" if int(body.rsplit(": ", maxsplit=1)[-1].split('"', maxsplit=1)[0]) >= 50 else "APPROVE"


# --- faults ----------------------------------------------------------------------------------------------------------


def test_a_thousand_calls_under_every_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with faulty(share=0.4, seed=7, text=mostly) as server:
        config = place(tmp_path, server, cases=500, model="retries: 1, timeout_s: 0.8, concurrency: 64")
        began = time.monotonic()
        code = main(["run", str(config), "--out", str(tmp_path / "out")], world(sleep=lambda s: time.sleep(s / 20)))
        took = time.monotonic() - began
        asked_with_faults, server.share = server.asked.total(), 0.0
        whole = run(config).report
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    counts, evidence = report["suites"][0]["counts"], report["evidence"]
    assert counts["expected"] == counts["observed"] + counts["missing"] == 1000
    assert counts["missing"] == sum(counts["missing_reasons"].values()) == evidence["failed"]
    assert set(counts["missing_reasons"]) <= set.union(*(reasons for _, reasons in FAULTS.values()))
    assert {"bad_reply", "timeout", "http_400"} <= set(counts["missing_reasons"])
    (asked,) = evidence["models"]
    assert (asked["calls"], asked["failed"]) == (1000, counts["missing_reasons"])
    assert asked["calls"] + asked["retried"] == asked_with_faults
    assert asked["tokens"] == {"prompt": 10 * counts["observed"], "completion": 2 * counts["observed"]}
    assert took < 180  # seconds on an idle machine; nothing hangs
    assert (whole.verdict.name, report["verdict"], code) == ("PASS", "INSUFFICIENT_EVIDENCE", 3)
    (rule,), (hidden,) = whole.suites[0].rules, report["suites"][0]["rules"]
    assert hidden["interval"][0] <= rule.interval[0]
    assert rule.interval[1] <= hidden["interval"][1]
    printed = capsys.readouterr()
    kept = "".join(path.read_text("utf-8") for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert SECRET not in kept + printed.out + printed.err


@pytest.mark.parametrize("fault", list(FAULTS))
def test_every_fault_has_its_reason(tmp_path: Path, fault: str) -> None:
    with faulty(share=1.0, faults=[fault]) as server:
        config = place(tmp_path, server, cases=2, model="retries: 0, timeout_s: 0.5")
        report = run(config, sleep=lambda _: None).report
    assert set(report.suites[0].counts.missing_reasons) <= FAULTS[fault][1]
    assert report.suites[0].counts.missing == 4


@pytest.mark.parametrize("seed", range(4))
def test_faults_never_improve_a_verdict(tmp_path: Path, seed: int) -> None:
    faults = ["500", "400", "invalid json", "wrong schema", "empty choices"]
    with faulty(text=mostly) as server:
        config = place(tmp_path, server, model="retries: 0")
        whole = run(config, sleep=lambda _: None).report.suites[0].rules[0]
        server.share, server.seed, server.faults = 0.1 * (seed + 1), seed, faults
        server.asked.clear()
        hidden = run(config, sleep=lambda _: None).report.suites[0].rules[0]
    assert whole.verdict.name == "PASS"
    assert hidden.verdict.name in ("PASS", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW")
    assert hidden.interval[0] <= whole.interval[0]
    assert whole.interval[1] <= hidden.interval[1]


def test_a_limit_slows_everybody_and_loses_nobody(tmp_path: Path) -> None:
    with faulty(share=0.3, faults=["429"], seed=1) as server:
        config = place(tmp_path, server, cases=40, model="retries: 2")
        report = run(config, sleep=lambda s: time.sleep(s / 50)).report
    assert report.suites[0].counts.missing == 0
    assert account(report).retried > 0


# --- the journal -----------------------------------------------------------------------------------------------------


def command(config: Path, out: Path) -> subprocess.Popen[str]:
    environ = {**os.environ, "LOAN_KEY": SECRET, "NO_PROXY": "*"}
    arguments = [sys.executable, "-m", "fairgate", "run", str(config), "--out", str(out)]
    return subprocess.Popen(arguments, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answered(path: Path) -> Counter[str]:
    return Counter(line["question"] for line in journal.read(path) if "reply" in line) if path.exists() else Counter()


KILLS = [6, pytest.param(100, marks=pytest.mark.slow)]


@pytest.mark.parametrize("kills", KILLS)
def test_a_run_that_is_killed_loses_no_call_and_repeats_none(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)
    out = tmp_path / "out"
    with faulty(latency=0.2) as server:
        config = place(tmp_path, server, cases=16 * kills, model="concurrency: 4")
        for _ in range(kills):
            before = answered(output.journal_path(out)).total()
            process = command(config, out)
            deadline = time.monotonic() + 60
            while answered(output.journal_path(out)).total() < before + 4 and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(chance.random() * 0.3)
            process.kill()
            process.communicate()
        seen = answered(output.journal_path(out))
        asked_before = server.asked.copy()
        server.latency = 0
        assert len(seen) >= 4 * kills
        done = command(config, out)
        printed, said = done.communicate(timeout=120)
    report = json.loads((out / "report.json").read_text("utf-8"))
    assert done.returncode == 4, printed + said  # everybody got the same outcome, which a person has to see
    assert set(answered(output.journal_path(out)).values()) == {1}
    assert report["suites"][0]["counts"]["missing"] == 0
    assert report["evidence"]["resumed"] == len(seen)
    # Only calls that were in flight when a kill came are made again: at most as many as are made at once.
    assert server.asked.total() - len(server.asked) <= 4 * kills
    assert server.asked.total() - asked_before.total() == 32 * kills - len(seen)


@pytest.mark.parametrize("torn", [b'{"key": "ab', b"\x00\x00\x00", b'{"key": 1}\n', b"not json\n"])
def test_a_torn_line_is_repaired(tmp_path: Path, torn: bytes) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        path = tmp_path / "evidence" / "journal.jsonl"
        run(config, keeping=Keeping(path))
        with path.open("ab") as file:
            file.write(torn)
        assert run(config, keeping=Keeping(path)).report.evidence.resumed == 10
        assert server.asked.total() == 10
        assert all(json.loads(line) for line in path.read_bytes().splitlines() if line not in (b"not json",))


def test_a_finished_journal_is_no_cache(tmp_path: Path) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        path = tmp_path / "evidence" / "journal.jsonl"
        done = run(config, keeping=Keeping(path))
        assert done.journal == path
        journal.finish(path)
        assert run(config, keeping=Keeping(path)).report.evidence.resumed == 0
        assert server.asked.total() == 20


@pytest.mark.parametrize("change", ["config", "age", "fresh"])
def test_a_journal_of_another_run_is_put_aside(tmp_path: Path, change: str) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        path = tmp_path / "evidence" / "journal.jsonl"
        run(config, keeping=Keeping(path))
        if change == "config":
            place(tmp_path, server, cases=5, model="concurrency: 2")
        later = 2 * journal.OLDEST_S if change == "age" else 0
        keeping = Keeping(path, fresh=change == "fresh")
        again = run(config, keeping=keeping, now=lambda: datetime.now(UTC) + timedelta(seconds=later))
        assert again.report.evidence.resumed == 0
        assert len(answered(path.with_name("journal.old.jsonl"))) == 10


# --- the cache -------------------------------------------------------------------------------------------------------


def test_a_cache_answers_for_a_model_and_says_how_old_it_is(tmp_path: Path) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        keeping = Keeping(cache=tmp_path / "cache")
        run(config, keeping=keeping)
        report = run(config, keeping=keeping, now=lambda: datetime.now(UTC) + timedelta(hours=1)).report
        assert (report.evidence.calls, report.evidence.cached) == (0, 10)
        assert 3600 <= (report.evidence.oldest_cached_s or 0) < 3700
        assert server.asked.total() == 10
        report = run(config, keeping=keeping, now=lambda: datetime.now(UTC) + timedelta(days=8)).report
        assert (report.evidence.calls, report.evidence.cached) == (10, 0)


def lines_of_the_cache(folder: Path) -> tuple[Path, list[str]]:
    """The one file of a folder that one run kept its answers in."""
    (file,) = (folder / "cache").iterdir()
    return file, file.read_text("ascii").splitlines(keepends=True)


@pytest.mark.parametrize(
    ("spoiled", "remarks"),
    [("truncated", ["cache_trouble"]), ("changed", ["cache_trouble"]), ("moved", ["cache_trouble"]), ("torn", [])],
)
def test_a_spoiled_answer_is_dropped(tmp_path: Path, spoiled: str, remarks: list[str]) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        keeping = Keeping(cache=tmp_path / "cache")
        run(config, keeping=keeping)
        file, lines = lines_of_the_cache(tmp_path)
        changed = {
            "truncated": lines[0][:90] + "\n",
            "changed": lines[0].replace("APPROVE", "REVIEW"),
            "moved": lines[0][:64] + lines[1][64:],
            "torn": "",
        }
        file.write_text("".join([changed[spoiled], *lines[1:], lines[0][:90] if spoiled == "torn" else ""]), "ascii")
        evidence = run(config, keeping=keeping).report.evidence
        mended = run(config, keeping=keeping).report.evidence
    assert (evidence.calls, evidence.cached) == (1, 9)
    assert [remark.code for remark in evidence.remarks] == remarks
    assert (mended.calls, mended.cached, mended.remarks) == (0, 10, [])


def test_what_is_too_old_leaves_the_cache(tmp_path: Path) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        keeping = Keeping(cache=tmp_path / "cache")
        run(config, keeping=keeping)
        file, _ = lines_of_the_cache(tmp_path)
        run(config, keeping=keeping, now=lambda: datetime.now(UTC) + timedelta(days=8))
        assert lines_of_the_cache(tmp_path)[0] != file


@pytest.mark.parametrize("change", ["prompt", "params", "model", "nothing", "limits"])
def test_whatever_changes_an_answer_changes_its_key(tmp_path: Path, change: str) -> None:
    with faulty() as server:
        config = place(tmp_path, server, cases=5)
        keeping = Keeping(cache=tmp_path / "cache")
        run(config, keeping=keeping)
        text = config.read_text("utf-8")
        changed = {
            "params": text.replace("swap:", "    params: {temperature: 1}\nswap:"),
            "model": text.replace("model: m,", "model: n,"),
            "limits": text.replace("retries: 1", "retries: 3, timeout_s: 9, price: {input: 1, output: 1}"),
        }
        config.write_text(changed.get(change, text), encoding="utf-8")
        if change == "prompt":
            (tmp_path / "prompt.j2").write_text("{{ ten }} has {{ income }}", encoding="utf-8")
        evidence = run(config, keeping=keeping).report.evidence
    assert evidence.cached == (10 if change in ("nothing", "limits") else 0)


# --- budget and time -------------------------------------------------------------------------------------------------


def test_calls_stop_when_their_number_is_spent(tmp_path: Path) -> None:
    with faulty() as server:
        report = run(place(tmp_path, server, top="max_calls: 30")).report
    assert server.asked.total() == report.evidence.calls == 30
    assert report.suites[0].counts.missing_reasons == {"budget_spent": 90}
    assert report.verdict.name == "INSUFFICIENT_EVIDENCE"
    assert [remark.code for remark in report.evidence.remarks] == ["budget_spent"]


def test_calls_stop_when_the_money_is_spent(tmp_path: Path) -> None:
    model = "concurrency: 2, price: {input: 1000, output: 5000}"
    with faulty() as server:
        report = run(place(tmp_path, server, model=model, top="max_cost_usd: 0.2")).report
    assert report.evidence.cost_usd == pytest.approx(0.02 * report.evidence.calls)
    assert 10 <= report.evidence.calls <= 13


def test_a_cost_that_is_not_known_is_said(tmp_path: Path) -> None:
    with faulty() as server:
        report = run(place(tmp_path, server, cases=2, top="max_cost_usd: 0.2")).report
    assert report.evidence.cost_usd is None
    assert "loan has no price" in report.evidence.remarks[0].message


def test_a_run_ends_when_its_time_is_over(tmp_path: Path) -> None:
    with faulty(latency=0.3) as server:
        began = time.monotonic()
        report = run(place(tmp_path, server, model="concurrency: 4", top="max_seconds: 1")).report
        assert time.monotonic() - began < 5
    assert 0 < report.suites[0].counts.observed < 120
    assert set(report.suites[0].counts.missing_reasons) == {"budget_spent"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_cancelled_run_reports_what_was_seen_and_is_taken_up_again(tmp_path: Path, number: int) -> None:
    out = tmp_path / "out"
    with faulty(latency=0.3) as server:
        config = place(tmp_path, server, model="concurrency: 4")
        process = command(config, out)
        while len(answered(output.journal_path(out))) < 8:
            time.sleep(0.02)
        process.send_signal(number)
        began = time.monotonic()
        process.communicate(timeout=30)
        assert time.monotonic() - began < 10
        assert process.returncode == 3
        report = json.loads((out / "report.json").read_text("utf-8"))
        assert set(report["suites"][0]["counts"]["missing_reasons"]) == {"cancelled"}
        assert report["suites"][0]["counts"]["observed"] >= 8
        assert report["evidence"]["remarks"][0]["code"] == "cancelled"
        server.latency = 0
        again = command(config, out)
        again.communicate(timeout=60)
    report = json.loads((out / "report.json").read_text("utf-8"))
    assert report["evidence"]["resumed"] >= 8
    assert report["suites"][0]["counts"]["missing"] == 0


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_secrets_are_masked_in_the_log_of_a_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from fairgate.github import masks

    with faulty() as server:
        config = load(place(tmp_path, server, cases=1)).config
    stream = io.StringIO()
    for value in (SECRET, "none", "abc", "100%"):
        masks.emit(masks.values(config, {"LOAN_KEY": value}), {"GITHUB_ACTIONS": "true"}, stream)
    masks.emit(masks.values(config, {"LOAN_KEY": SECRET}), {}, stream)
    assert stream.getvalue().splitlines() == [f"::add-mask::{SECRET}", "::add-mask::none", "::add-mask::100%25"]


def test_the_key_of_another_party_is_cut_out_too(tmp_path: Path) -> None:
    with faulty(text=lambda _: f"APPROVE {SECRET}") as server:
        report = run(place(tmp_path, server, cases=1), keeping=Keeping(tmp_path / "j.jsonl", tmp_path / "cache"))
    files = [tmp_path / "j.jsonl", *(tmp_path / "cache").iterdir()]
    kept = "".join(path.read_text("utf-8") for path in files)
    assert SECRET not in kept + report.report.to_json()
    assert "[redacted]" in kept
