"""A parameter that the server refuses shows in the suite and in what the report says of the system."""

import json
from pathlib import Path

from models_helpers import Server, answer, completion

from fairgate import gate
from fairgate.config import load
from fairgate.world import World

CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: m, base_url: "URL", concurrency: 1}
    messages: [{role: user, file: ask.j2}]
    params: {temperature: 0.2}
swap:
  name: screen
  system: loan
  cases: golden.jsonl
  axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
  outcome: {positive: ["yes"], negative: ["no"]}
  rules: [{id: flips, max_flip_rate: 0.5}]
"""


def test_a_system_asked_without_a_parameter_says_so(tmp_path: Path, server: Server, world: World) -> None:
    server.steps = [answer(400, {"error": {"message": "Unsupported value: 'temperature'"}}), completion("yes")]
    (tmp_path / ".git").mkdir()
    (tmp_path / "ask.j2").write_text("{{ ten }}", encoding="utf-8")
    rows = [json.dumps({"id": f"c{number}", "ten": "{ten}"}) for number in range(2)]
    (tmp_path / "golden.jsonl").write_text("\n".join(rows), encoding="utf-8")
    (tmp_path / "fairgate.yaml").write_text(CONFIG.replace("URL", f"{server.url}/v1"), encoding="utf-8")

    report = gate.run(load(tmp_path / "fairgate.yaml"), world).report

    assert report.system["loan"]["dropped"] == ["temperature"]
    (suite,) = report.suites
    (warning,) = [remark.message for remark in suite.warnings if remark.code == "dropped_parameters"]
    assert warning.startswith(
        "The system loan was not asked as configured: its server refuses temperature, so 4 answers"
    )
    assert len(server.seen) == 5
