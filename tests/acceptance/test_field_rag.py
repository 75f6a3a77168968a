"""What people really feed to a judge of answers, through the command itself: field cases 70 and 72."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main

CONFIG = """\
judges:
  words: {{type: lexical}}
  gullible: {{type: openai, model: m, base_url: "{url}", retries: 0, timeout_s: 10}}
rag:
  name: support
  cases: golden.jsonl
  judge: {judge}
  rules: [{{id: faithful, metric: faithfulness, min: 0.85, require: {require}}}]
"""

Run = Callable[..., tuple[int, dict[str, Any] | None, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Judge these samples; the exit code, the report (None when there is none), and what stood on stderr."""
    (tmp_path / ".git").mkdir()

    def run(
        samples: list[str], judge: str = "words", url: str = "http://127.0.0.1:9/v1", require: str = "all"
    ) -> tuple[int, dict[str, Any] | None, str]:
        (tmp_path / "golden.jsonl").write_text("\n".join(samples) + "\n", encoding="utf-8")
        config = tmp_path / "fairgate.yaml"
        config.write_text(CONFIG.format(judge=judge, url=url, require=require), encoding="utf-8")
        code = main(["run", str(config), "--out", str(tmp_path / "out")])
        written = tmp_path / "out" / "report.json"
        report = json.loads(written.read_text(encoding="utf-8")) if written.exists() else None
        return code, report, capsys.readouterr().err

    return run


def lines(shared: Path, name: str) -> list[str]:
    (folder,) = (shared / "cases" / "field").glob(f"{name}-*")
    return (folder / "golden.jsonl").read_text(encoding="utf-8").splitlines()


def scores(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The faithfulness of each case."""
    return {case["id"]: case["scores"]["faithfulness"] for case in report["suites"][0]["cases"]}


# --- 70: nothing to score --------------------------------------------------------------------------------------------


def test_what_cannot_be_judged_at_all_is_refused_by_its_id_and_line(shared: Path, run: Run) -> None:
    code, report, said = run(lines(shared, "70"))
    assert (code, report) == (2, None)
    assert "Traceback" not in said
    for line, name in ((4, "s4"), (5, "s5"), (6, "s6")):
        assert any(f"line {line}:" in part and f"'{name}'" in part for part in said.splitlines()), said
    assert not any(f"'{name}'" in said for name in ("s1", "s2", "s3"))


@pytest.mark.parametrize("require", ["all", "mean"])
def test_an_answer_that_claims_nothing_has_no_score(shared: Path, run: Run, require: str) -> None:
    code, report, _ = run(lines(shared, "70")[:3], require=require)
    assert report is not None
    assert code == 3
    assert {name: (score["score"], score["reason"]) for name, score in scores(report).items()} == {
        "s1": (None, "empty_answer"),
        "s2": (None, "no_claims"),
        "s3": (None, "no_claims"),
    }
    (rule,) = report["suites"][0]["rules"]
    assert rule["verdict"] == "INSUFFICIENT_EVIDENCE"
    assert rule["estimate"] is None


def test_answers_that_claim_nothing_stay_out_of_the_mean_and_are_shown(shared: Path, run: Run, tmp_path: Path) -> None:
    sample = json.loads(lines(shared, "70")[0])
    good = [json.dumps(sample | {"sample_id": f"g{number}", "generated_answer": "24 tháng."}) for number in range(27)]
    _, report, _ = run([*lines(shared, "70")[:3], *good], require="mean")
    assert report is not None
    assert report["suites"][0]["rules"][0]["estimate"] == 1.0  # 27 of 30 are scoreable: just enough
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "3 answers not scoreable (1 empty, 2 without a claim)" in page


# --- 72: instructions to the judge -----------------------------------------------------------------------------------


def test_instructions_in_answers_and_contexts_stay_data(shared: Path, run: Run, tmp_path: Path) -> None:
    code, report, _ = run(lines(shared, "72"))
    assert report is not None
    assert code == 1
    for score in scores(report).values():
        assert score["verdict"] == "FAIL"
    false = {claim["claim"] for score in scores(report).values() for claim in score["claims"] if not claim["supported"]}
    assert {"Bảo hành 60 tháng.", "Bảo hành trọn đời."} <= false
    page = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "</answer>" not in page


@contextmanager
def obedient(reply: Callable[[dict[str, Any]], dict[str, Any]]) -> Iterator[str]:
    """A judge on loopback that says what ``reply`` makes of the schema it is asked to keep."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            message = {"role": "assistant", "content": json.dumps(reply(asked), ensure_ascii=False)}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            payload = json.dumps({"model": "m", "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/v1"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def says_supported(asked: dict[str, Any]) -> dict[str, Any]:
    """Obeys "everything is supported": lists the false claim, and quotes it as its own proof."""
    if "claims" in asked["response_format"]["json_schema"]["schema"]["properties"]:
        return {"claims": ["Bảo hành 60 tháng."]}
    return {"verdicts": [{"id": 1, "quote": "Bảo hành 60 tháng.", "supported": True}]}


def test_a_judge_that_obeys_the_answer_is_not_believed(shared: Path, run: Run) -> None:
    with obedient(says_supported) as url:
        code, report, _ = run(lines(shared, "72")[:1], "gullible", url)
    assert report is not None
    assert code == 1
    (claim,) = scores(report)["s1"]["claims"]
    assert (claim["supported"], claim["quote_found"]) == (False, False)


def test_a_judge_that_obeys_and_lists_nothing_makes_no_pass(shared: Path, run: Run) -> None:
    with obedient(lambda asked: {"claims": []}) as url:
        code, report, _ = run(lines(shared, "72"), "gullible", url)
    assert report is not None
    assert code == 3
    assert {score["reason"] for score in scores(report).values()} == {"no_claims"}
