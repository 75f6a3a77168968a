"""The law of the gate, over the whole gate: missing evidence never improves a verdict (recorded answers are hidden)."""

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fairgate import gate, parties
from fairgate.config import load
from fairgate.models.protocol import Question
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.world import World

CONFIG = """\
systems: {loan: {type: recorded, answers: answers.jsonl}}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
    region: {north: {que: Hà Nội}, south: {que: Cà Mau}}
  outcome: {positive: ["yes"], negative: ["no"]}
  must_respond_to: [{income: "1"}]
  rules:
    - {id: flips, max_flip_rate: FLIPS}
    - {id: floor, rate: selection, attribute: gender, worst_group: {min: FLOOR}}
    - {id: ceiling, rate: selection, attribute: [gender, region], worst_group: {max: 0.9}}
fairness:
  name: decided
  cases: decided.csv
  prediction: prediction
  attributes: {sex: [f, m]}
  min_cell: 5
  rules:
    - {id: gap, rate: selection, attribute: sex, max_group_gap: 0.5}
"""
DECIDED = Verdict.PASS, Verdict.FAIL


def answer(question: Question, flipping: int, refusing: int) -> str:
    """A system that refuses the poor, and refuses women among the first ``flipping`` cases."""
    case = int(question.fields["number"])
    if case < refusing or question.fields["income"] == "1":
        return "no"
    return "no" if case < refusing + flipping and question.fields["ten"] == "Lan" else "yes"


def report(folder: Path, answers: list[dict[str, Any]], predictions: list[str]) -> Report:
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in answers), encoding="utf-8")
    rows = [f"{index},{'fm'[index % 2]},{value}" for index, value in enumerate(predictions)]
    (folder / "decided.csv").write_text("\n".join(["id,sex,prediction", *rows]) + "\n", encoding="utf-8")
    return gate.run(load(folder / "fairgate.yaml"), World(environ={})).report


def verdicts(found: Report) -> dict[str, Verdict]:
    return {rule.id: rule.verdict for suite in found.suites for rule in suite.rules} | {"run": found.verdict}


@settings(max_examples=18, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_hiding_evidence_never_improves_a_verdict(data: st.DataObject) -> None:
    flips, floor = data.draw(st.sampled_from([(0.05, 0.3), (0.1, 0.6), (0.3, 0.05)]))
    bases = data.draw(st.sampled_from([5, 35, 70]))
    flipping, refusing = data.draw(st.integers(0, bases // 2)), data.draw(st.integers(0, bases // 2))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = CONFIG.replace("FLIPS", str(flips)).replace("FLOOR", str(floor))
        (folder / "fairgate.yaml").write_text(text, encoding="utf-8")
        golden = ["id,number,income", *(f"c{index},{index},50" for index in range(bases))]
        (folder / "golden.csv").write_text("\n".join(golden), encoding="utf-8")
        (folder / "answers.jsonl").touch()
        asked = parties.questions(load(folder / "fairgate.yaml"), None)
        answers = [{"id": question.id, "answer": answer(question, flipping, refusing)} for question in asked]
        predictions = data.draw(st.lists(st.sampled_from(["0", "1", "1", ""]), min_size=1, max_size=120))
        whole = verdicts(report(folder, answers, predictions))
        hidden = data.draw(st.sets(st.integers(0, len(answers) - 1), max_size=len(answers)))
        blank = data.draw(st.sets(st.integers(0, len(predictions) - 1), max_size=len(predictions)))
        part = verdicts(
            report(
                folder,
                [line for index, line in enumerate(answers) if index not in hidden],
                ["" if index in blank else value for index, value in enumerate(predictions)],
            )
        )
    for rule, verdict in part.items():
        assert verdict not in DECIDED or verdict is whole[rule], (rule, whole[rule], verdict)
