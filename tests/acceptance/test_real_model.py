"""The loan example on a real model: set FAIRGATE_MODEL_URL to an OpenAI-compatible server, e.g. llama.cpp's.

FAIRGATE_MODEL_URL=http://127.0.0.1:18081/v1 python -m pytest -m slow tests/acceptance/test_real_model.py -s
"""

import json
import os
import shutil
from pathlib import Path

import pytest

from fairgate.cli import main

pytestmark = pytest.mark.slow


def test_the_loan_example_on_a_real_model(repository: Path, tmp_path: Path) -> None:
    url = os.environ.get("FAIRGATE_MODEL_URL")
    if not url:
        pytest.skip("FAIRGATE_MODEL_URL names no server")
    example = tmp_path / "loan-screen"
    shutil.copytree(repository / "examples" / "loan-screen", example)
    config = example / "fairgate-chat.yaml"
    config.write_text(config.read_text("utf-8").replace("http://127.0.0.1:18081/v1", url), encoding="utf-8")
    code = main(["run", str(config), "--out", str(tmp_path / "out")])
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    (suite,) = report["suites"]
    print(json.dumps({"verdict": report["verdict"], "flips": suite["flips"], "evidence": report["evidence"]}, indent=2))
    assert code == report["exit_code"]
    assert report["evidence"]["calls"] == suite["counts"]["expected"]
    assert suite["counts"]["observed"] > 0
