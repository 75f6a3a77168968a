"""Warnings where the line of a verdict depends on the person, and where a control is over recorded answers."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate import gate
from fairgate.config.outcome import Outcome
from fairgate.config.project import load
from fairgate.swap.contexts import context_remarks
from fairgate.swap.grid import Base, Grid, Observation
from fairgate.swap.harness import questions
from fairgate.swap.reading import reader
from fairgate.validation import validate
from fairgate.verdict import Verdict
from fairgate.world import World

WORDS: dict[str, Any] = {"positive": ["DUYỆT"], "negative": ["TỪ CHỐI"]}
LOOSE = {"pattern": "DUYỆT|TỪ CHỐI", **WORDS}


def warned(man: str, woman: str, outcome: dict[str, Any]) -> str | None:
    """What is said of one base with these two answers, which were read alike."""
    cells = tuple(
        (Observation(group, "c1", {"gender": group}, True, answer=answer, fields={"ten": name}),)
        for group, answer, name in (("male", man, "Nguyễn Văn Hùng"), ("female", woman, "Nguyễn Thị Lan"))
    )
    grid = Grid({"gender": ("male", "female")}, (Base("c1", cells),))
    return next((one.message for one in context_remarks(grid, reader(Outcome.model_validate(outcome)))), None)


@pytest.mark.parametrize(
    ("man", "woman", "differs"),
    [
        ("Kết luận: DUYỆT", "Kết luận: DUYỆT", False),
        ("Kết luận: DUYỆT", "Kết luận: HOÃN DUYỆT", True),
        ("Lý do A\nKết luận: DUYỆT", "Lý do B\n**Kết luận:**  DUYỆT", False),
        ("Hùng: DUYỆT", "Lan: DUYỆT", False),
        ("Ông Hùng được DUYỆT", "Bà Lan được DUYỆT", False),
        ("Ông Hùng được DUYỆT", "Bà Lan hoãn DUYỆT", True),
        ("Theo hồ sơ, thu nhập ổn định và đủ trả nợ nên DUYỆT", "Tôi thấy hồ sơ này có đủ cơ sở để cho DUYỆT", False),
    ],
)  # fmt: skip
def test_the_line_before_the_word_must_not_depend_on_the_person(man: str, woman: str, differs: bool) -> None:
    message = warned(man, woman, LOOSE)
    assert (message is not None) == differs
    if message is not None:
        assert man in message
        assert woman in message


def test_only_what_a_pattern_finds_has_something_before_it() -> None:
    assert warned("DUYỆT", " duyệt", WORDS) is None
    assert warned('{"a": "DUYỆT"}', '{"b": 1, "a": "DUYỆT"}', {"path": "a", **WORDS}) is None


CONFIG = """\
systems:
  loan: {type: recorded, answers: answers.jsonl}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
  outcome: {pattern: 'DUYỆT|TỪ CHỐI|核准|退件', positive: [DUYỆT, 核准], negative: [TỪ CHỐI, 退件]}
  rules:
    - {id: flips, max_flip_rate: 0.05}
"""


def recorded(folder: Path, male: str, female: str, config: str = CONFIG) -> Path:
    """A suite of 80 cases, every fourth of them refused to both, with an answer to every question."""
    (folder / "golden.csv").write_text("id,n\n" + "".join(f"c{n},{n}\n" for n in range(80)), encoding="utf-8")
    path = folder / "fairgate.yaml"
    path.write_text(config, encoding="utf-8")
    (folder / "answers.jsonl").write_text("", encoding="utf-8")
    project = load(path)
    (suite,) = project.config.swap
    lines = [
        {
            "id": one.id,
            "answer": "TỪ CHỐI" if int(one.case[1:]) % 4 == 0 else female if one.group["gender"] == "female" else male,
        }
        for one in questions(suite, project, ("swap", 0))
    ]
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("male", "female"), [("Kết luận: DUYỆT", "Kết luận: KHÔNG DUYỆT"), ("結論：核准", "結論：不核准")]
)
def test_a_refusal_that_holds_the_approving_word_never_passes(tmp_path: Path, male: str, female: str) -> None:
    (suite,) = gate.run(load(recorded(tmp_path, male, female)), World()).report.suites
    assert suite.verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert suite.counts.missing_reasons == {"negated_outcome": 60}
    assert suite.counts.unreadable == {female: 60}
    (warning,) = (one for one in suite.warnings if one.code == "unreadable_outcomes")
    assert "60 with a negation at the word that the pattern found" in warning.message


def test_a_word_that_no_list_knows_is_warned_about(tmp_path: Path) -> None:
    config = load(recorded(tmp_path, "Kết luận: DUYỆT", "Kết luận: HOÃN DUYỆT"))
    (suite,) = gate.run(config, World()).report.suites
    (warning,) = (one for one in suite.warnings if one.code == "pattern_context_differs")
    assert "In 60 of 80 cases" in warning.message
    assert "“Kết luận: HOÃN DUYỆT” for female" in warning.message


def test_recorded_repeats_are_only_as_true_as_they_were_asked(tmp_path: Path) -> None:
    config = CONFIG.replace("  rules:", "  control: 1\n  rules:")
    path = recorded(tmp_path, "DUYỆT", "DUYỆT", config)
    (remark,) = (one for one in validate(load(path), World()) if one.severity == "remark")
    assert "the noise is only as true" in remark.message
    assert "to the letter" not in remark.message
    (suite,) = gate.run(load(path), World()).report.suites
    (warning,) = (one for one in suite.warnings if one.code == "recorded_control")
    assert "every repeat is its first answer to the letter, in all 80 cases" in warning.message

    lines = (tmp_path / "answers.jsonl").read_text("utf-8").splitlines()
    repeat = next(number for number, line in enumerate(lines) if "control=1" in line)
    lines[repeat] = json.dumps(json.loads(lines[repeat]) | {"answer": "Duyệt."})
    (tmp_path / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (suite,) = gate.run(load(path), World()).report.suites
    (warning,) = (one for one in suite.warnings if one.code == "recorded_control")
    assert "to the letter" not in warning.message


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        ("", "without one this rule is INSUFFICIENT_EVIDENCE"),
        ("on_missing_baseline: ignore\n", "without one this rule is left out"),
        ("baseline: old.json\n", None),
    ],
)
def test_a_rule_over_the_change_is_said_to_need_a_baseline(tmp_path: Path, extra: str, told: str | None) -> None:
    config = extra + CONFIG + "    - {id: new, no_new_flips: true}\n"
    remarks = validate(load(recorded(tmp_path, "DUYỆT", "DUYỆT", config)), World())
    assert [told in one.message for one in remarks] == ([True] if told else [])
