"""A suite end to end: a real configuration, golden file and Python system."""

import json
from pathlib import Path
from typing import Any

import pytest

from fairgate.config.project import Project, load
from fairgate.errors import ConfigError, FairgateError, InputError
from fairgate.models.build import build_system
from fairgate.models.protocol import CallFailed, Missing, Question, Reply, System
from fairgate.plan.rules import swap_plans
from fairgate.swap.harness import SwapRun, check_swap, judge_swap, questions
from fairgate.world import World

WHERE = ("swap", 0)
CONFIG = """\
systems:
  loan: {type: recorded, answers: answers.jsonl}
swap:
  name: loan-screen
  system: loan
  cases: golden.csv
  axes:
    gender:
      male:   [{ten: Hùng, xung_ho: anh}, {ten: Quân, xung_ho: anh}]
      female: [{ten: Lan, xung_ho: chị}, {ten: Hà, xung_ho: chị}]
    region:
      hn: {que: Hà Nội}
      st: {que: Sóc Trăng}
  outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
  must_respond_to:
    - {income: 1}
  rules:
    - {id: flips, max_flip_rate: 0.05}
    - {id: floor, rate: selection, attribute: gender, worst_group: {min: 0.4}}
"""


class Scripted:
    """A system that decides by a function of the fields; asks for all of them, or for those it is told."""

    concurrency, retries = 4, 0

    def __init__(self, decide: Any, asks: tuple[str, ...] | None = None) -> None:
        self.decide, self.asks, self.sent = decide, asks, 0

    def request(self, question: Question) -> Any:
        return {name: question.fields[name] for name in self.asks or question.fields}

    def send(self, question: Question) -> Reply:
        self.sent += 1
        return Reply(self.decide(question.fields), model="scripted-1")

    def describe(self) -> dict[str, Any]:
        return {"type": "scripted"}

    def files(self) -> list[Path]:
        return []

    def close(self) -> None: ...


def by_income(fields: Any) -> str:
    return "Duyệt." if int(fields["income"]) >= 10 else "XEM LẠI"


def biased(fields: Any) -> str:
    threshold = 12 if fields["que"] == "Sóc Trăng" else 10
    return "DUYỆT" if int(fields["income"]) >= threshold else "XEM LẠI"


def project(tmp_path: Path, config: str = CONFIG, cases: str | None = None) -> Project:
    rows = "".join(f"c{n},{5 + n % 20},{{ten}} quê {{que}}\n" for n in range(100))
    (tmp_path / "golden.csv").write_text(cases or "id,income,ho_so\n" + rows, encoding="utf-8")
    (tmp_path / "fairgate.yaml").write_text(config, encoding="utf-8")
    return load(tmp_path / "fairgate.yaml")


class Onlooker:
    def __init__(self, seen: list[Any]) -> None:
        self.seen, self.started = seen, False

    def start(self, suite: str, total: int) -> None:
        self.started = True

    def on_answer(self, question: Question, answer: Reply | Missing) -> None:
        assert self.started
        self.seen.append((question, answer))


def run(checked: Project, system: System | None, seen: list[Any] | None = None) -> SwapRun:
    watch = Onlooker([] if seen is None else seen)
    return judge_swap(checked.config.swap[0], checked, WHERE, 0.95, system, World(), watch)


def test_an_even_system_passes(tmp_path: Path) -> None:
    seen: list[Any] = []
    done = run(project(tmp_path), Scripted(by_income), seen)
    assert done.result.verdict == "PASS"
    assert (done.result.kind, done.result.system) == ("swap", "loan")
    assert (done.result.counts.cases, done.result.counts.expected, done.result.counts.missing) == (100, 500, 0)
    assert len(seen) == len(done.answers) == len(done.evidence) == 500
    assert done.evidence[0] == {
        "id": next(iter(done.answers)), "case": "c0", "group": {"gender": "male", "region": "hn"},
        "fields": {"ten": "Hùng", "xung_ho": "anh", "que": "Hà Nội"},
        "answer": "XEM LẠI", "outcome": "negative", "reason": None, "model": "scripted-1",
    }  # fmt: skip


def test_a_biased_system_fails_and_says_whom_it_favoured(tmp_path: Path) -> None:
    result = run(project(tmp_path), Scripted(biased)).result
    assert result.verdict == "FAIL"
    assert result.flips is not None
    assert (result.flips.flipped, result.flips.favoured) == (10, {"male": 0, "female": 0, "hn": 10, "st": 0})
    assert result.examples is not None
    assert [one.differs[0].field for one in result.examples] == ["que"] * 5
    assert result.flips.responds[0].responded > 0


def test_one_level_at_a_time_is_asked_planned_and_judged(tmp_path: Path) -> None:
    design = "  design: one_at_a_time\n  outcome:"
    config = CONFIG.replace("  outcome:", design).replace(
        "gender, worst_group: {min: 0.4}", "region, max_group_gap: 0.02"
    )
    one = project(tmp_path, config)
    suite = one.config.swap[0]
    asked = [tuple(variant.group.values()) for variant in questions(suite, one, WHERE) if variant.case == "c7"]
    assert asked == [("male", "hn"), ("female", "hn"), ("male", "st"), ("male", "hn")]
    assert len(list(swap_plans(suite, one, WHERE, 0.95))) == 2
    result = run(one, Scripted(biased)).result
    gap = result.rules[1]
    assert (gap.verdict, gap.method, gap.estimate) == ("FAIL", "exact_paired", pytest.approx(0.1))
    assert result.counts.expected == 400


def test_answers_that_nobody_can_read_are_counted_and_shown(tmp_path: Path) -> None:
    result = run(project(tmp_path), Scripted(lambda fields: "KHÔNG DUYỆT")).result
    assert result.verdict == "INSUFFICIENT_EVIDENCE"
    assert result.rules[0].reasons[0] == "no_evidence"
    assert result.counts.unreadable == {"KHÔNG DUYỆT": 500}


def test_failed_calls_are_missing_with_their_reason(tmp_path: Path) -> None:
    def fails(fields: Any) -> str:
        raise CallFailed("http_401", "the server refused the key", final=True)

    done = run(project(tmp_path), Scripted(fails))
    assert done.result.counts.missing_reasons == {"http_401": 500}
    assert done.result.counts.details[0].startswith("the server refused the key")
    assert all(isinstance(answer, Missing) for answer in done.answers.values())


def test_evidence_is_what_a_recorded_system_answers_from(tmp_path: Path) -> None:
    checked = project(tmp_path)
    first = run(checked, Scripted(biased))
    lines = "".join(json.dumps(line) + "\n" for line in first.evidence)
    (tmp_path / "answers.jsonl").write_text(lines, encoding="utf-8")
    recorded = build_system(checked.config.systems["loan"], checked, ("systems", "loan"), World())
    second = run(checked, recorded)
    assert second.result.rules == first.result.rules
    assert second.result.flips == first.result.flips


def test_questions_are_the_variants_that_would_be_asked(tmp_path: Path) -> None:
    checked = project(tmp_path)
    listed = questions(checked.config.swap[0], checked, WHERE)
    assert [one.id for one in listed] == list(run(checked, Scripted(by_income)).answers)


@pytest.mark.parametrize(
    ("asks", "about"),
    [
        (("income", "ten"), "swap.axes.region: swapping region (que) changes nothing in what the system is asked"),
        (
            ("income", "que"),
            "swap.axes.gender: swapping gender (ten, xung_ho) changes nothing in what the system is asked in 100 of",
        ),
        (("ho_so",), "must_respond_to[0]: setting income changes nothing in what the system is asked"),
    ],
)
def test_what_the_system_is_not_asked_about_is_refused_before_any_call(
    tmp_path: Path, asks: tuple[str, ...], about: str
) -> None:
    system = Scripted(by_income, asks)
    with pytest.raises(ConfigError) as error:
        run(project(tmp_path), system)
    assert about in str(error.value)
    assert system.sent == 0


def test_check_finds_the_same_and_rules_that_can_never_pass(tmp_path: Path) -> None:
    checked = project(tmp_path, cases="id,income,ho_so\na,9,{ten} {que}\nb,12,x\n")
    suite = checked.config.swap[0]
    findings = check_swap(suite, checked, WHERE, 0.95, Scripted(by_income, ("income", "ho_so")))
    assert [(one.severity, one.where) for one in findings] == [
        ("error", ("swap", 0, "axes", "gender")),
        ("error", ("swap", 0, "axes", "region")),
        ("error", ("swap", 0, "rules", 0)),
        ("error", ("swap", 0, "rules", 1)),
    ]
    assert "1 of 2 cases (first: b)" in findings[0].message
    assert findings[2].message == "rule flips: With 2 cases a flip limit of 5 % can never pass; 59 are needed."
    assert check_swap(suite, checked, WHERE, 0.95, None) == findings[2:]


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ("{income: 1}", "{ten: Minh}", "must_respond_to[0].ten: the axis gender fills 'ten'"),
        ("negative: [XEM LẠI]", "negative: ['duyệt.']", "swap.outcome: positive word"),
        ("cases: golden.csv", "cases: gone.csv", "there is no file"),
    ],
)
def test_refusals_point_into_the_configuration(tmp_path: Path, old: str, new: str, about: str) -> None:
    checked = project(tmp_path, CONFIG.replace(old, new))
    for go in (
        lambda: run(checked, Scripted(by_income)),
        lambda: check_swap(checked.config.swap[0], checked, WHERE, 0.95, None),
    ):
        with pytest.raises(FairgateError) as error:
            go()
        assert about in str(error.value)
        assert "fairgate.yaml:" in str(error.value)


def test_a_change_that_every_case_has_already_is_refused(tmp_path: Path) -> None:
    checked = project(tmp_path, cases="id,income,ho_so\na,1,{ten} {que}\n")
    with pytest.raises(ConfigError, match=r"every case of golden\.csv says so already"):
        run(checked, Scripted(by_income))


def test_a_broken_golden_file_names_its_line(tmp_path: Path) -> None:
    checked = project(tmp_path, cases="id,income,ho_so\na,1,{tenn}\n")
    with pytest.raises(InputError, match=r"golden.csv: line 2: case 'a'.*did you mean 'ten'"):
        run(checked, Scripted(by_income))
