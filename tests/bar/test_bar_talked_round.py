"""Ways to talk the gate round that were tried on it: each has to be named, refused, or without effect."""

from datetime import timedelta
from pathlib import Path

import pytest

from fairgate.bar.findings import Reused
from fairgate.bar.reuse import Fresh, reusable
from fairgate.baseline.load import Baseline, NoBaseline, load_baseline
from fairgate.config import load
from fairgate.errors import FairgateError
from fairgate.git import state
from fairgate.models import accounts
from fairgate.models.engine import Keeping
from fairgate.parties import build_engine
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.world import World
from tests.bar.bar_desk import Repository, repository
from tests.bar.test_bar_reuse import NOW, WEEK, earlier


@pytest.fixture
def repo(tmp_path: Path) -> Repository:
    return repository(tmp_path / "repo")


def rules(report: Report) -> dict[str, frozenset[str]]:
    return {suite.name: frozenset(rule.id for rule in suite.rules) for suite in report.suites}


@pytest.mark.parametrize("lacking", ["suite", "rule"])
def test_a_verdict_over_part_of_the_suites_is_not_taken_over_for_all(lacking: str) -> None:
    report = earlier()
    wanted = (
        rules(report) | {"another": frozenset({"r"})}
        if lacking == "suite"
        else {name: ids | {"one-more"} for name, ids in rules(report).items()}
    )
    found = reusable(report, "last.json", report.fingerprint, NOW, WEEK, rules=wanted)
    assert isinstance(found, Fresh)
    assert found.reason == "other_rules"
    assert isinstance(reusable(report, "l", report.fingerprint, NOW, WEEK, rules=rules(report)), Reused)


def edited(report: Report, how: str) -> Report:
    (suite, *others) = report.suites
    failing = suite.rules[0].model_copy(update={"verdict": Verdict.FAIL, "underlying": Verdict.FAIL})
    changes = {
        "a rule that failed": {"rules": [failing, *suite.rules[1:]], "verdict": Verdict.PASS},
        "no rules": {"rules": [], "verdict": Verdict.PASS},
    }
    if how in changes:
        return report.model_copy(update={"suites": [suite.model_copy(update=changes[how]), *others]})
    failed = suite.model_copy(update={"rules": [failing], "verdict": Verdict.FAIL})
    return report.model_copy(update={"suites": [failed, *others], "verdict": Verdict.PASS})


@pytest.mark.parametrize("how", ["a rule that failed", "no rules", "a suite that failed"])
def test_a_report_whose_verdicts_contradict_each_other_is_no_baseline(how: str) -> None:
    found = load_baseline(edited(earlier(), how).to_json().encode(), "last.json")
    assert isinstance(found, NoBaseline)
    assert found.reason == "baseline_inconsistent"
    assert isinstance(load_baseline(earlier().to_json().encode(), "last.json"), Baseline)


def test_code_that_git_does_not_know_is_part_of_what_a_run_is_about(repo: Repository) -> None:
    before = state(repo.folder, without=[repo.folder / "out"])
    (repo.folder / "out").mkdir()
    (repo.folder / "out/report.json").write_text("{}", encoding="utf-8")
    assert state(repo.folder, without=[repo.folder / "out"]) == before
    (repo.folder / "helper.py").write_text("bias = 1\n", encoding="utf-8")
    assert state(repo.folder, without=[repo.folder / "out"]) != before


def test_answers_that_a_change_brings_along_are_passed_over(repo: Repository) -> None:
    """A report folder may have been committed, which is no reason to stop; what it holds is not taken for answers."""
    path = repo.folder / "kept" / "evidence" / "journal.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("{}\n", encoding="utf-8")
    keeping = Keeping(journal=path, cache=repo.folder / "kept")
    project = load(repo.folder / "fairgate.yaml")
    assert build_engine(project, World(environ={}), keeping).cache is not None
    repo.git("add", "kept")
    engine = build_engine(project, World(environ={}), keeping)
    assert engine.cache is None
    assert [remark.code for remark in accounts.evidence(engine, 0.0).remarks] == ["cache_in_repository"]


def test_reuse_stays_within_its_week() -> None:
    report = earlier()
    late = reusable(report, "l", report.fingerprint, NOW + timedelta(days=8), WEEK, rules=rules(report))
    assert isinstance(late, Fresh)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [('who: "\u200b"', "who"), ('reason: "\u2800"', "reason"), ("who: '-'", "who")],
)
def test_a_signature_that_nobody_can_see_is_refused(repo: Repository, entry: str, reason: str) -> None:
    given = {
        "run": "gate",
        "fingerprint": '"' + "ab" * 8 + '"',
        "who": "An",
        "reason": "looked at",
        "until": "2027-01-01",
    }
    name, _, text = entry.partition(": ")
    lines = "\n    ".join(f"{key}: {value}" for key, value in {**given, name: text}.items())
    (repo.folder / ".fairgate").mkdir()
    (repo.folder / ".fairgate/signoffs.yaml").write_text(f"signoffs:\n  - {lines}\n", encoding="utf-8")
    with pytest.raises(FairgateError, match=reason):
        repo.run(None)


def test_another_baseline_is_named(repo: Repository) -> None:
    config = repo.folder / "fairgate.yaml"
    config.write_text("baseline: last.json\n" + config.read_text(encoding="utf-8"), encoding="utf-8")
    (repo.folder / "last.json").write_text("{}", encoding="utf-8")
    repo.commit("a baseline")
    repo.git("branch", "-f", "main")
    repo.git("checkout", "-qb", "other")
    assert not lowered(repo)
    (repo.folder / "last.json").write_text("{ }", encoding="utf-8")
    assert lowered(repo) == ["baseline"]
    (repo.folder / "last.json").unlink()
    assert lowered(repo) == ["baseline"]


def lowered(repo: Repository) -> list[str]:
    found = repo.run("main").changes
    assert found is not None
    return [change.key for change in found.lowered]
