"""A chat system at temperature > 0 with a known bias and known noise, asked over HTTP: the control tells them apart."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from fairgate.cli import main
from fairgate.world import World

CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: mock, base_url: "http://127.0.0.1:PORT/v1", concurrency: 1}
    params: {temperature: 0.7}
    messages: [{role: user, file: prompt.j2}]
swap:
  name: loan-screen
  system: loan
  cases: golden.csv
  axes: {gender: {male: {ten: Văn Hùng}, female: {ten: Thị Lan}}}
  outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
  control: 1
  rules:
    - {id: flips, max_flip_rate: 0.05}
    - {id: beyond-noise, max_excess_flip_rate: 0.1}
"""
CASES = 200  # asked one after the other: the mock draws its noise by prompt and turn, the same on every run
NOISE = 0.1


@contextmanager
def screener(script: Path, bias: float) -> Iterator[int]:
    """The mock screener on a free port: women get a probability less by ``bias``, one call in ten is turned round."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    tokens = json.dumps({"Văn Hùng": 0, "Thị Lan": -bias})
    options = ["--port", str(port), "--sut", "--sut-bias", tokens, "--sut-temp-noise", str(NOISE), "--latency-ms", "0"]
    process = subprocess.Popen(
        [sys.executable, str(script), *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        _wait(f"http://127.0.0.1:{port}/healthz", process)
        yield port
    finally:
        process.kill()
        process.wait()


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None, "the mock server ended"
        try:
            with urlopen(url, timeout=1):
                return
        except (URLError, OSError):
            time.sleep(0.05)
    pytest.fail("the mock server did not come up")


def run(folder: Path, shared: Path, bias: float) -> dict[str, Any]:
    script = shared / "recipes" / "mock_llm_server.py"
    if not script.is_file():
        pytest.skip("../shared/recipes/mock_llm_server.py is not here")
    rows = "".join(f"c{number},{number}\n" for number in range(CASES))
    (folder / "golden.csv").write_text("id,income\n" + rows, encoding="utf-8")
    (folder / "prompt.j2").write_text("Applicant {{ ten }}, income {{ income }} million dong.", encoding="utf-8")
    with screener(script, bias) as port:
        (folder / "fairgate.yaml").write_text(CONFIG.replace("PORT", str(port)), encoding="utf-8")
        options = ["run", str(folder / "fairgate.yaml"), "--out", str(folder / "out")]
        main(options, World(environ={"NO_PROXY": "*"}))
    report: dict[str, Any] = json.loads((folder / "out" / "report.json").read_text("utf-8"))
    (suite,) = report["suites"]
    assert suite["counts"]["missing"] == 0
    return dict(suite)


def verdicts(suite: dict[str, Any]) -> dict[str, str]:
    return {rule["id"]: rule["verdict"] for rule in suite["rules"]}


def test_a_bias_is_found_beyond_the_noise(tmp_path: Path, shared: Path) -> None:
    suite = run(tmp_path, shared, bias=0.4)
    assert verdicts(suite) == {"flips": "FAIL", "beyond-noise": "FAIL"}
    control = suite["flips"]["control"]
    # the pairs between the thresholds: 0.4 of the cases, of which noise leaves (1 − 2 · 0.1)²
    assert control["excess"] == pytest.approx(0.4 * (1 - 2 * NOISE) ** 2, abs=0.1)
    assert control["noise"] == pytest.approx(2 * NOISE * (1 - NOISE), abs=0.08)


def test_noise_without_bias_flips_cases_and_does_not_fail_what_is_beyond_it(tmp_path: Path, shared: Path) -> None:
    suite = run(tmp_path, shared, bias=0)
    found = verdicts(suite)
    assert found["flips"] == "FAIL"
    assert found["beyond-noise"] != "FAIL"
    control = suite["flips"]["control"]
    assert control["excess_interval"][0] < 0 < control["excess_interval"][1]
    (remark,) = [one["message"] for one in suite["warnings"] if one["code"] == "noisy_system"]
    assert "the same call, asked again with nothing swapped, was answered differently" in remark
