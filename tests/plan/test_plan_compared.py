"""Rules that need a baseline have a line in the plan too."""

import json
from pathlib import Path

import pytest

from fairgate.cli import main

CONFIG = """\
systems: {loan: {type: recorded, answers: answers.jsonl}}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
  outcome: {positive: ["yes"], negative: ["no"]}
  rules:
    - {id: flips, max_flip_rate: 0.5}
    - {id: new, no_new_flips: true}
    - {id: rules, no_new_failures: true}
    - {id: rise, max_regression: 0.02}
    - {id: gap, max_regression: 0.02, rate: selection, attribute: gender}
"""


def test_every_rule_has_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "fairgate.yaml").write_text(CONFIG, encoding="utf-8")
    (tmp_path / "answers.jsonl").write_text("", encoding="utf-8")
    (tmp_path / "golden.csv").write_text("id,income\n" + "".join(f"c{n},{n}\n" for n in range(20)), encoding="utf-8")
    assert main(["plan", str(tmp_path / "fairgate.yaml"), "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["rules"]
    assert {rule["rule"]: rule["message"] for rule in rules if rule["rule"] != "flips"} == {
        "new": "20 cases beside a baseline; passes with none newly flipped, fails from 1 on",
        "rules": "1 rule beside a baseline; passes with none newly failing, fails from 1 on",
        "rise": "20 cases beside a baseline; cannot pass at this size",
        "gap": "20 cases beside a baseline; may become worse by at most 2 points",
    }
    assert [rule["can_pass"] for rule in rules] == [True, True, True, False, True]
