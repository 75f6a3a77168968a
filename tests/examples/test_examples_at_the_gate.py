"""The examples, judged by the gate itself: the verdicts and numbers that their READMEs state."""

import re
from pathlib import Path

import pytest

from fairgate import gate
from fairgate.config import load
from fairgate.config.model import HarnessSuite
from fairgate.render.answers import open_cases, tally
from fairgate.results import SuiteResult
from fairgate.validation import validate
from fairgate.verdict import Verdict
from fairgate.wording.numbers import p_equals, percent, points, score
from fairgate.world import World

FAULT_ROW = re.compile(r"^\| `([a-z]+-[a-z]+)` \|.*\| ([^|]+) \|$", re.MULTILINE)
RULE_ROW = re.compile(r"^\| `([\w-]+)` \|.*\| ([A-Z_]+) \|$", re.MULTILINE)


def judged(config: Path) -> SuiteResult:
    (suite,) = gate.run(load(config), World()).report.suites
    return suite


def readme(config: Path) -> str:
    return (config.parent / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def loan(repository: Path) -> Path:
    return repository / "examples" / "loan-screen" / "fairgate.yaml"


@pytest.fixture(scope="module")
def support(repository: Path) -> Path:
    return repository / "examples" / "support-rag" / "fairgate.yaml"


@pytest.fixture(scope="module")
def decided(repository: Path) -> Path:
    return repository / "examples" / "decided-cases" / "fairgate.yaml"


def test_the_biased_screener_is_stopped(loan: Path) -> None:
    suite = judged(loan)
    assert suite.flips is not None
    assert suite.verdict == Verdict.FAIL
    assert (suite.flips.flipped, suite.flips.bases, suite.counts.missing) == (16, 80, 0)
    assert {(found.favoured, found.over): found.bases for found in suite.flips.directions} == {
        ("male", "female"): 10,
        ("female", "male"): 6,
        ("ha_noi", "soc_trang"): 16,
    }
    assert {rule.id: rule.verdict for rule in suite.rules} == {
        "flips": Verdict.FAIL,
        "gender-floor": Verdict.PASS,
        "region-floor": Verdict.PASS,
    }


def test_the_readme_states_the_approval_rates_of_the_biased_screener(loan: Path) -> None:
    suite = judged(loan)
    assert suite.selection is not None
    (gender,) = [found for found in suite.selection if found.attribute == ["gender"]]
    rates = {group.group["gender"]: percent(group.estimate) for group in gender.groups}
    assert f"Men are approved in {rates['male']} of the cases and women in {rates['female']}" in readme(loan)


def test_the_screener_without_the_preference_passes(loan: Path) -> None:
    suite = judged(loan.with_name("fairgate-fair.yaml"))
    assert suite.flips is not None
    assert suite.verdict == Verdict.PASS
    assert suite.flips.flipped == 0
    assert suite.warnings == []
    assert f"at most {percent(suite.flips.interval[1])} of such applications flip" in readme(loan)


def test_what_could_be_done_about_it_measures_as_the_readme_says(loan: Path) -> None:
    suite = judged(loan.with_name("fairgate-mitigate.yaml"))
    assert suite.verdict == Verdict.FAIL
    assert suite.rules == judged(loan).rules
    for arm in suite.mitigations or []:
        gender, region = arm.axes
        flips = f"| {arm.name} | {arm.flipped} of 80 | {gender.flipped} | {region.flipped} |"
        row = f"{flips} {percent(arm.selection_rate)} |"
        found = arm.beside
        beside = f" {found.fewer} fewer, {found.more} more, p {p_equals(found.p_adjusted)} |\n" if found else " |\n"
        assert row + beside in readme(loan)
    *_, criteria = suite.mitigations or []
    assert criteria.beside is not None
    moved = (
        f"in {criteria.beside.lost} cases somebody is no longer approved, in {criteria.beside.gained} somebody newly is"
    )
    assert moved in readme(loan)
    assert suite.suggestion is not None
    assert "criteria alone measured best" in suite.suggestion


def test_the_mitigations_over_a_chat_model_are_the_same_suite(loan: Path) -> None:
    offline, chat = (load(loan.with_name(f"fairgate-mitigate{kind}.yaml")).config for kind in ("", "-chat"))
    (one,), (other,) = offline.swap, chat.swap
    assert isinstance(one, HarnessSuite)
    assert isinstance(other, HarnessSuite)
    *_, criteria = other.mitigations
    assert criteria.outcome is not None  # a model gives its reasons too, so its decision is read at its place
    assert criteria.outcome.path == "quyet_dinh"
    bare = [*other.mitigations[:-1], criteria.model_copy(update={"outcome": None})]
    assert one == other.model_copy(update={"mitigations": bare})
    assert list(offline.systems) == list(chat.systems)


def test_the_suite_sees_a_much_lower_income(loan: Path) -> None:
    suite = judged(loan)
    assert suite.flips is not None
    (control,) = suite.flips.responds
    assert control.answered == control.asked == 80
    assert control.responded > 20


def test_the_decided_cases_come_out_as_their_readme_says(decided: Path) -> None:
    suite = judged(decided)
    assert suite.verdict == Verdict.FAIL
    assert {rule.id: rule.verdict.value for rule in suite.rules} == dict(RULE_ROW.findall(readme(decided)))
    assert {rule.verdict for rule in suite.rules} == {Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE}


@pytest.mark.parametrize(
    ("rule", "end", "words"),
    [
        ("missed-by-sex", 1, "the gap is at most {}; 10 are allowed"),
        ("missed-by-age", 1, "the gap is at most {} |"),
        ("missed-by-sex-and-age", 0, "the gap is at least {} |"),
        ("missed-by-disability", 1, "the gap may be 0 or {} |"),
    ],
)
def test_the_readme_states_the_gaps_of_the_decided_cases(decided: Path, rule: str, end: int, words: str) -> None:
    (found,) = [result for result in judged(decided).rules if result.id == rule]
    assert words.format(points(found.interval[end])) in readme(decided)


def test_the_support_answers_come_out_as_their_readme_says(support: Path) -> None:
    suite = judged(support)
    assert suite.verdict == Verdict.FAIL
    for rule in suite.rules:
        found = tally(suite, rule)
        row = (
            f"| `{rule.id}`, each at least {score(rule.limit)} | {found.passed} of {found.scoreable} | {rule.verdict} |"
        )
        assert row in readme(support)


def test_each_planted_fault_is_scored_as_the_readme_says(support: Path) -> None:
    rows = {name: told for name, told in FAULT_ROW.findall(readme(support)) if not told.startswith("nothing")}
    found = {
        item.case.id: ", ".join(f"{fault.metric.replace('_', ' ')} {score(fault.score.score)}" for fault in item.faults)
        for item in open_cases(judged(support))
    }
    assert rows == found


def test_to_abstain_is_right_where_no_page_has_the_answer(support: Path) -> None:
    (abstained,) = [case for case in judged(support).cases or [] if case.id == "vi-tax"]
    assert abstained.scores["faithfulness"].reason == "abstained"
    assert abstained.verdict == Verdict.PASS


@pytest.mark.parametrize(
    "name",
    [
        "loan-screen/fairgate.yaml",
        "loan-screen/fairgate-fair.yaml",
        "loan-screen/fairgate-chat.yaml",
        "loan-screen/fairgate-mitigate.yaml",
        "loan-screen/fairgate-mitigate-chat.yaml",
        "decided-cases/fairgate.yaml",
        "support-rag/fairgate.yaml",
    ],
)
def test_no_example_has_a_rule_that_could_not_pass(repository: Path, name: str) -> None:
    findings = validate(load(repository / "examples" / name), World())
    assert [finding for finding in findings if finding.severity == "error"] == []


@pytest.mark.parametrize(
    ("profile", "verdict", "flipped", "cases"),
    [("pr", Verdict.INSUFFICIENT_EVIDENCE, 4, 16), ("nightly", Verdict.FAIL, 16, 80)],
)
def test_the_loan_screen_in_two_tiers(
    repository: Path, profile: str, verdict: Verdict, flipped: int, cases: int
) -> None:
    config = repository / "examples/loan-screen/fairgate-tiers.yaml"
    (suite,) = gate.run(load(config, profile), World()).report.suites
    assert suite.flips is not None
    assert (suite.verdict, suite.flips.flipped, suite.flips.bases) == (verdict, flipped, cases)
    assert f"{flipped} of the {cases} flip" in readme(config) or f"| {flipped} of {cases} |" in readme(config)
