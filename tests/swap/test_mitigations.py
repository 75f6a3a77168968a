"""Mitigations at the gate: asked after everything that is judged, shown beside it, and never part of the verdict."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fairgate import gate, parties
from fairgate.bar.compare import lowered
from fairgate.config import load
from fairgate.errors import FairgateError
from fairgate.fingerprint import of_inputs
from fairgate.plan.build import make_plan
from fairgate.render.markdown import comment
from fairgate.report import Report
from fairgate.results import Arm, SuiteResult
from fairgate.validation import validate
from fairgate.verdict import Verdict
from fairgate.world import World

MODULE = """\
def biased(fields):
    return "yes" if int(fields["income"]) >= (12 if fields["que"] == "Cà Mau" else 10) else "no"

def fair(fields):
    return "yes" if int(fields["income"]) >= 11 else "no"

def never(fields):
    return "no"

def wordy(fields):
    return "After some thought: yes"
"""
CONFIG = """\
systems:
  loan: {type: python, callable: "mitigated_screen:biased"}
  other: {type: python, callable: "mitigated_screen:fair"}
  never: {type: python, callable: "mitigated_screen:never"}
  wordy: {type: python, callable: "mitigated_screen:wordy"}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
    region: {north: {que: Hà Nội}, south: {que: Cà Mau}}
  outcome: {positive: ["yes"], negative: ["no"]}
  EXTRA
  rules: [{id: flips, max_flip_rate: 0.05}]
"""
TRIED = """mask: que
  mitigations:
    - {name: names, mask: {ten: Applicant A}}
    - {name: other prompt, system: other}
    - {name: nobody, system: never}"""


@pytest.fixture(autouse=True)
def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mitigated_screen.py").write_text(MODULE, encoding="utf-8")
    rows = "".join(f"c{number},{8 + number % 6},vay\n" for number in range(60))
    (tmp_path / "golden.csv").write_text("id,income,note\n" + rows, encoding="utf-8")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "mitigated_screen", raising=False)


def written(folder: Path, extra: str = "must_respond_to: []", more: str = "") -> Path:
    path = folder / "fairgate.yaml"
    path.write_text(CONFIG.replace("EXTRA", extra) + more, encoding="utf-8")
    return path


def ran(folder: Path, extra: str = "must_respond_to: []", more: str = "", profile: str | None = None) -> gate.Run:
    return gate.run(load(written(folder, extra, more), profile), World(environ={}))


def suite(report: Report) -> SuiteResult:
    return report.suites[0]


def arms(report: Report) -> dict[str, Arm]:
    return {arm.name: arm for arm in suite(report).mitigations or []}


def test_each_mitigation_stands_beside_the_suite_as_it_is(tmp_path: Path) -> None:
    found = arms(ran(tmp_path, TRIED).report)

    assert list(found) == ["as it is", "masked", "names", "other prompt", "nobody"]
    assert {name: (arm.flipped, arm.selected) for name, arm in found.items()} == {
        "as it is": (20, 120),
        "masked": (0, 160),
        "names": (20, 120),
        "other prompt": (0, 120),
        "nobody": (0, 0),
    }
    assert found["as it is"].beside is None
    told = found["other prompt"].beside
    assert told is not None
    assert (told.fewer, told.more, told.open) == (20, 0, 0)
    assert (told.lost, told.gained) == (10, 10)
    assert told.p < told.p_adjusted < 0.001


def test_the_verdict_and_the_rules_are_those_without_mitigations(tmp_path: Path) -> None:
    plain, tried = ran(tmp_path).report, ran(tmp_path, TRIED).report

    assert suite(plain).mitigations is None
    assert plain.verdict is tried.verdict is Verdict.FAIL
    assert suite(plain).rules == suite(tried).rules
    assert suite(plain).flips == suite(tried).flips
    assert suite(plain).outcomes == suite(tried).outcomes


def test_a_mask_over_an_axis_leaves_nothing_of_it_and_is_asked_all_the_same(tmp_path: Path) -> None:
    found = arms(ran(tmp_path, TRIED).report)["masked"]
    assert found.unseen == ["region"]
    assert found.counts.expected == 240
    assert arms(ran(tmp_path, "mask: [ten, que]").report)["masked"].unseen == ["gender", "region"]


def test_evidence_names_the_mitigation_and_can_be_recorded(tmp_path: Path) -> None:
    first = ran(tmp_path, TRIED)
    lines = first.evidence["screen"]
    assert len(lines) == 5 * 240
    assert len({line["id"] for line in lines}) == len(lines)
    assert [line["mitigation"] for line in lines if "mitigation" in line].count("names") == 240
    asked = parties.questions(load(tmp_path / "fairgate.yaml"))
    assert {question.id for question in asked} == {line["id"] for line in lines}

    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    path = tmp_path / "fairgate.yaml"
    text = path.read_text(encoding="utf-8")
    for name in ("biased", "fair", "never", "wordy"):
        text = text.replace(f'python, callable: "mitigated_screen:{name}"', "recorded, answers: answers.jsonl")
    path.write_text(text, encoding="utf-8")
    again = gate.run(load(path), World(environ={})).report
    strip = {"system": "", "unseen": []}
    assert [arm.model_copy(update=strip) for arm in arms(again).values()] == [
        arm.model_copy(update=strip) for arm in arms(first.report).values()
    ]


def test_a_spent_budget_starves_the_mitigations_first(tmp_path: Path) -> None:
    found = ran(tmp_path, TRIED, "max_calls: 300\n").report

    assert suite(found).counts.missing == 0
    assert found.verdict is Verdict.FAIL
    assert [arm.counts.missing for arm in arms(found).values()] == [0, 180, 240, 240, 240]
    told = arms(found)["names"].beside
    assert told is not None
    assert (told.open, told.p) == (60, 1.0)


def test_what_is_tried_is_planned_and_part_of_what_the_suite_rests_on(tmp_path: Path) -> None:
    def inputs() -> dict[str, str]:
        return suite(gate.run(load(tmp_path / "fairgate.yaml"), World(environ={})).report).inputs

    written(tmp_path, TRIED)
    planned = {calls.name: calls.most for calls in make_plan(load(tmp_path / "fairgate.yaml"), World(environ={})).calls}
    assert planned == {"loan": 240 * 3, "other": 240, "never": 240}
    before = inputs()
    assert "systems.other" in before
    written(tmp_path, TRIED.replace("Applicant A", "Applicant B"))
    assert of_inputs(inputs()) != of_inputs(before)


def test_a_mitigation_may_be_limited_to_profiles(tmp_path: Path) -> None:
    extra = "mitigations: [{name: a, system: other, profiles: nightly}, {name: b, mask: que}]"
    profiles = "profiles: {nightly: {}, pr: {}}\n"
    assert list(arms(ran(tmp_path, extra, profiles, "pr").report)) == ["as it is", "b"]
    assert list(arms(ran(tmp_path, extra, profiles).report)) == ["as it is", "b"]
    assert list(arms(ran(tmp_path, extra, profiles, "nightly").report)) == ["as it is", "a", "b"]


def test_answers_are_read_as_the_mitigation_says(tmp_path: Path) -> None:
    plain = "mitigations: {name: wordy, system: wordy}"
    missing = arms(ran(tmp_path, plain).report)["wordy"]
    assert missing.counts.missing_reasons == {"unreadable_outcome": 240}
    words = '{positive: ["after some thought: yes"], negative: ["after some thought: no"]}'
    read = arms(ran(tmp_path, f"mitigations: {{name: wordy, system: wordy, outcome: {words}}}").report)["wordy"]
    assert (read.counts.missing, read.selected) == (0, 240)


def test_no_mitigation_lowers_the_bar(tmp_path: Path) -> None:
    plain = load(written(tmp_path)).config
    tried = load(written(tmp_path, TRIED)).config
    assert list(lowered(plain, tried)) == list(lowered(tried, plain)) == []


REFUSED = [
    ("mask: [tne]", ["swap.mask.tne: no case has a field 'tne' and no axis fills one", "did you mean 'ten'?"]),
    ("mitigations: [{name: a}]", ["mitigation a: found neither system nor mask"]),
    ("mitigations: [{name: a, system: nobody}]", ["found 'nobody', expected a name under systems"]),
    ("mitigations: [{name: a, mask: que, profiles: x}]", ["expected a name under profiles"]),
    ("mitigations: [{name: as it is, mask: que}]", ["the name 'as it is' is taken"]),
    ("mask: que\n  mitigations: [{name: masked, system: other}]", ["the name 'masked' is taken"]),
    ("mask: []", ["mask"]),
    ("mask: [[que]]", ["found a list in a list, expected names of fields"]),
    ("proxies: {age: [note]}", ["found 'age', expected an axis of this suite"]),
    ("proxies: {gender: [que]}", ["the axis region fills 'que', so it is listed anyway"]),
    ("proxies: {gender: [note, note]}", ["found note twice"]),
    ("proxies: {gender: [noet]}", ["no case has a field 'noet'"]),
    ("needed: [noet]", ["no case has a field 'noet'"]),
]


@pytest.mark.parametrize(("extra", "said"), REFUSED)
def test_what_cannot_be_tried_is_refused_before_anybody_is_asked(tmp_path: Path, extra: str, said: list[str]) -> None:
    with pytest.raises(FairgateError) as refused:
        validate(load(written(tmp_path, extra)), World(environ={}))
    assert all(text in str(refused.value) for text in said), str(refused.value)


def test_a_mask_that_changes_nothing_in_what_is_asked_is_refused(tmp_path: Path) -> None:
    config = """\
systems:
  loan:
    type: http
    url: "http://127.0.0.1:9/"
    body: {name: "{{ ten }}", town: "{{ que }}"}
    answer: text
"""
    path = written(tmp_path, "mask: note")
    rest = path.read_text(encoding="utf-8").split("swap:")[1]
    path.write_text(config + "swap:" + rest, encoding="utf-8")
    with pytest.raises(FairgateError, match="what the system loan is asked is the same as without it"):
        gate.run(load(path), World(environ={}))


def suggested(folder: Path, extra: str) -> str:
    return suite(ran(folder, extra).report).suggestion or ""


def test_a_failing_suite_suggests_what_to_try_from_what_moved(tmp_path: Path) -> None:
    said = suggested(tmp_path, "must_respond_to: []")
    assert said.startswith("What moved most decisions: region (que), in 20 of 60 cases. To try")
    assert "mask: [que]" in said
    assert "ten" not in said.replace("often", "")
    assert "mask: [" not in suggested(tmp_path, "needed: [que]")


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (TRIED, "masked measured best: 0 of 60 cases flipped where 20 did as it is (20 fewer, 0 more; p < .0001)"),
        (
            "mask: ten",
            "Nothing that was tried is shown to flip less than the suite as it is; nearest is masked with 20",
        ),
        ("mitigations: [{name: a, system: never}]", "nothing can be told apart from the suite as it is"),
    ],
)
def test_what_was_tried_is_told_as_measured(tmp_path: Path, extra: str, said: str) -> None:
    assert said in suggested(tmp_path, extra)


def test_nothing_is_suggested_where_nothing_fails(tmp_path: Path) -> None:
    path = written(tmp_path, "mask: que")
    path.write_text(path.read_text(encoding="utf-8").replace(":biased", ":fair"), encoding="utf-8")
    found = suite(gate.run(load(path), World(environ={})).report)
    assert (found.verdict, found.suggestion) == (Verdict.PASS, None)
    assert found.mitigations is not None


def test_the_comment_shows_the_table_and_the_fields(tmp_path: Path) -> None:
    report = ran(tmp_path, TRIED.replace("name: names", 'name: "names | @me <b>"')).report
    text = comment(report)

    assert "#### What was tried in screen, on the same cases" in text
    assert "| Asked | Flips | gender | region | Selected | Missing | Beside the suite as it is | \n" in text
    rows = [line for line in text.splitlines() if line.startswith("| <b>") and "system" in line]
    assert len(rows) == 5
    assert all(row.count(" | ") == 7 for row in rows), rows
    assert "@me" not in text
    assert "nobody decides everything alike" in text
    assert "masked: nothing of region is left in what is asked" in text
    assert "gender: ten (swapped)." in text
    assert "None of this is a rule" in text


def test_everybody_unanswered_is_shown_as_missing(tmp_path: Path) -> None:
    text = comment(ran(tmp_path, "mitigations: {name: w, system: wordy}").report)
    assert "w: 240 outcomes are missing" in text
    assert "After some thought: yes" in text


def kept(report: Report) -> Any:
    return json.loads(report.to_json())


def test_the_report_can_be_read_again(tmp_path: Path) -> None:
    report = ran(tmp_path, TRIED).report
    assert Report.model_validate(kept(report)) == report
