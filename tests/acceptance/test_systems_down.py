"""A system that cannot be asked is missing evidence with its reason: a sentence, exit code 3, no traceback."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main
from fairgate.world import World

CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: m, base_url: "BASE", api_key_env: LOAN_KEY, retries: 0, timeout_s: 5, concurrency: 4}
    messages: [{role: user, file: prompt.j2}]
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
  outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
  rules: [{id: flips, max_flip_rate: 0.05}]
"""
SECRET = "sk-very-secret-value"


@contextmanager
def server(status: int, body: dict[str, Any] | str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            payload = (body if isinstance(body, str) else json.dumps(body)).encode()
            self.send_response(status)
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


def unused_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run(folder: Path, base: str, environ: dict[str, str]) -> tuple[int, dict[str, Any], str]:
    (folder / "fairgate.yaml").write_text(CONFIG.replace("BASE", base), encoding="utf-8")
    (folder / "prompt.j2").write_text("{{ ten }}: {{ income }}", encoding="utf-8")
    (folder / "golden.csv").write_text("id,income\n" + "".join(f"c{i},{i}\n" for i in range(60)), encoding="utf-8")
    out = folder / "out"
    code = main(["run", str(folder / "fairgate.yaml"), "--out", str(out)], World(environ=environ))
    everything = "".join(path.read_text("utf-8") for path in out.rglob("*") if path.is_file())
    return code, json.loads((out / "report.json").read_text("utf-8")), everything


def check_missing(report: dict[str, Any], reason: str) -> None:
    (suite,) = report["suites"]
    assert report["verdict"] == "INSUFFICIENT_EVIDENCE"
    assert suite["counts"]["missing_reasons"] == {reason: 120}
    assert suite["flips"]["interval"] == [0.0, 1.0]


def test_an_unreachable_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, report, _ = run(tmp_path, f"http://127.0.0.1:{unused_port()}/v1", {"LOAN_KEY": SECRET})
    assert code == 3
    check_missing(report, "unreachable")
    printed = capsys.readouterr()
    assert "127.0.0.1" in printed.out + "".join(report["suites"][0]["counts"]["details"])
    assert "Traceback" not in printed.err


def test_a_refused_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with server(401, {"error": {"message": f"Incorrect API key provided: {SECRET}"}}) as base:
        code, report, everything = run(tmp_path, base, {"LOAN_KEY": SECRET})
    assert code == 3
    check_missing(report, "http_401")
    assert "Incorrect API key" in report["suites"][0]["counts"]["details"][0]
    printed = capsys.readouterr()
    assert SECRET not in everything + printed.out + printed.err


def test_a_secret_that_is_not_set(tmp_path: Path) -> None:
    code, report, _ = run(tmp_path, f"http://127.0.0.1:{unused_port()}/v1", {})
    assert code == 3
    check_missing(report, "missing_secret")
    assert "LOAN_KEY" in report["suites"][0]["counts"]["details"][0]
    assert report["evidence"]["calls"] == 0


def test_answers_that_nobody_can_read(tmp_path: Path) -> None:
    reply = {"choices": [{"message": {"content": "I would rather not say."}, "finish_reason": "stop"}], "model": "m-1"}
    with server(200, reply) as base:
        code, report, _ = run(tmp_path, base, {"LOAN_KEY": SECRET})
    assert code == 3
    check_missing(report, "unreadable_outcome")
    assert report["suites"][0]["counts"]["unreadable"] == {"I would rather not say.": 120}


@pytest.mark.parametrize("spelled", [r"sk-very\/secret-value", r"\u0073k-very/secret-value"])
def test_a_key_that_the_server_spells_with_escapes(tmp_path: Path, spelled: str) -> None:
    secret = "sk-very/secret-value"
    refused, answered = '{"error": {"message": "bad key %s"}}', '{"choices": [{"message": {"content": "%s"}}]}'
    for status, body in ((401, refused), (200, answered)):
        with server(status, body % spelled) as base:
            _, report, everything = run(tmp_path, base, {"LOAN_KEY": secret})
        assert report["verdict"] == "INSUFFICIENT_EVIDENCE"
        assert secret not in everything
        assert spelled not in everything
