"""The lowered bar in real repositories: branches, merges, shallow clones, moved files, bases that cannot be read."""

import os
import subprocess
from pathlib import Path

import pytest

from fairgate.bar.base import Base
from fairgate.errors import ConfigError
from fairgate.render import markdown
from fairgate.report import Report
from fairgate.verdict import Verdict
from tests.bar.bar_desk import CASES, CONFIG, DECIDED, WHO, Repository, lines, table

PASS, MANUAL = Verdict.PASS, Verdict.MANUAL_REVIEW


def named(found: Report) -> list[str]:
    assert found.changes is not None
    return [change.message for change in found.changes.lowered]


def state(found: Report) -> str:
    assert found.changes is not None
    return found.changes.state


def test_a_change_of_nothing(repo: Repository) -> None:
    found = repo.run()
    assert (found.verdict, state(found), named(found)) == (PASS, "compared", [])


def test_a_raised_limit_is_named_with_its_numbers(repo: Repository) -> None:
    repo.edit("max_group_gap: 0.6", "max_group_gap: 0.65")
    found = repo.run()
    assert found.verdict is MANUAL
    assert named(found) == ["This change raises max_group_gap of gap in decided from 0.60 to 0.65."]
    assert "lowered_bar" in found.suites[1].rules[0].reasons


def test_the_working_tree_is_what_is_judged(repo: Repository) -> None:
    repo.edit("name: loan-assistant", "confidence: 0.9\nname: loan-assistant")
    assert named(repo.run()) == ["This change lowers confidence from 0.95 to 0.90."]


@pytest.mark.parametrize(
    ("cases", "says"),
    [
        (CASES[:-2], "deletes 2 cases of screen: loan-058, loan-059."),
        ([*CASES[:-1], {**CASES[-1], "income": "99"}], "rewrites 1 case of screen: loan-059."),
    ],
)
def test_golden_cases(repo: Repository, cases: list[dict[str, str]], says: str) -> None:
    repo.write("golden.jsonl", lines(cases))
    repo.answer()
    assert named(repo.run()) == [f"This change {says}"]


def test_more_cases_and_another_order_lower_nothing(repo: Repository) -> None:
    repo.write("golden.jsonl", lines([{"id": "new", "income": "50", "number": "99"}, *reversed(CASES)]))
    repo.answer()
    assert (repo.run().verdict, named(repo.run())) == (PASS, [])


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([(0, "f", 1, 0), *DECIDED[1:]], "changes what is expected of 1 case of decided: 0."),
        ([(0, "m", 0, 0), *DECIDED[1:]], "rewrites 1 case of decided: 0."),
        (DECIDED[1:], "deletes 1 case of decided: 0."),
        ([(0, "f", 0, 1), *DECIDED[1:]], ""),  # what the system decided is the evidence, not the bar
    ],
)
def test_decided_cases(repo: Repository, rows: list[tuple[object, ...]], says: str) -> None:
    repo.write("decided.csv", table(rows))
    assert named(repo.run()) == ([f"This change {says}"] if says else [])


def test_cases_in_another_file_are_still_those_cases(repo: Repository) -> None:
    repo.edit("cases: golden.jsonl", "cases: fewer.jsonl")
    repo.write("fewer.jsonl", lines(CASES[1:]))
    repo.answer()
    assert named(repo.run()) == ["This change deletes 1 case of screen: loan-000."]


# --- which base ------------------------------------------------------------------------------------------------------


def test_what_the_base_did_since_is_not_taken_for_this_change(repo: Repository) -> None:
    repo.write("prompt.md", "x")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.05")
    repo.commit("the base moves on: a tighter limit")
    repo.git("checkout", "-q", "change")
    assert named(repo.run()) == []


def merged(repo: Repository) -> tuple[str, str]:
    """Raise a limit in ``change``, tighten another in ``main``, and check out the merge as GitHub makes it."""
    started = repo.git("rev-parse", "main")
    repo.edit("max_group_gap: 0.6", "max_group_gap: 0.65")
    head = repo.commit()
    repo.git("checkout", "-q", "main")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.20")
    repo.commit("the base moves on: a looser limit, reviewed there")
    repo.git("checkout", "-q", "--detach", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "merge", head)
    return started, head


def test_the_merge_commit_of_a_pull_request_is_held_against_its_first_parent(repo: Repository) -> None:
    started, head = merged(repo)
    found = repo.run(Base(started, head))
    assert found.changes is not None
    assert found.changes.base == repo.git("rev-parse", "main")
    assert named(found) == ["This change raises max_group_gap of gap in decided from 0.60 to 0.65."]


def clone(repo: Repository, folder: Path, depth: int) -> Repository:
    repo.git("branch", "-f", "merged")
    command = ["git", *WHO, "clone", "-q", f"--depth={depth}", "-b", "merged", f"file://{repo.folder}", str(folder)]
    subprocess.run(command, check=True, capture_output=True)
    return Repository(folder)


def test_of_a_shallow_clone_two_commits_are_enough(repo: Repository, tmp_path: Path) -> None:
    started, head = merged(repo)
    found = clone(repo, tmp_path / "two", 2).run(Base(started, head))
    assert named(found) == ["This change raises max_group_gap of gap in decided from 0.60 to 0.65."]


def test_with_one_it_is_not_known_which_is_no_proof(repo: Repository, tmp_path: Path) -> None:
    started, head = merged(repo)
    found = clone(repo, tmp_path / "one", 1).run(Base(started, head))
    assert (found.verdict, state(found)) == (MANUAL, "unknown")
    assert "fetch-depth" in named(found)[0]


def test_a_checkout_without_a_base_that_nobody_asked_for_is_said_and_blocks_nobody(
    repo: Repository, tmp_path: Path
) -> None:
    started, head = merged(repo)
    shallow = clone(repo, tmp_path / "one", 1)
    found = shallow.run(Base(started, head, asked_for=False))
    assert state(found) == "unknown"
    assert found.verdict == shallow.run(None).verdict
    assert "fetch-depth" in markdown.comment(found, limit=65_536)


@pytest.mark.parametrize("ref", ["nowhere", "--help", "0" * 40, ""])
def test_a_base_that_does_not_exist(repo: Repository, ref: str) -> None:
    found = repo.run(ref)
    assert (found.verdict, state(found)) == (MANUAL, "unknown")
    assert "is not known" in named(found)[0]


def test_without_git_it_is_not_known(repo: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    found = repo.run()
    assert (found.verdict, state(found)) == (MANUAL, "unknown")
    assert "no git" in named(found)[0]


def test_histories_without_a_common_commit(repo: Repository) -> None:
    repo.git("checkout", "-q", "--orphan", "other")
    repo.commit()
    assert "no history in common" in named(repo.run())[0]


# --- what the base holds ---------------------------------------------------------------------------------------------


def test_a_first_configuration_has_no_bar_to_lower(repo: Repository) -> None:
    repo.write("other/fairgate.yaml", CONFIG.replace("golden", "../golden").replace("decided.csv", "../decided.csv")
               .replace("answers.jsonl", "../answers.jsonl"))  # fmt: skip
    found = repo.run(config="other/fairgate.yaml")
    assert (found.verdict, state(found), named(found)) == (PASS, "new", [])


def test_a_configuration_that_moved_is_found_again(repo: Repository) -> None:
    repo.git("mv", "fairgate.yaml", "gate.yml")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.20", "gate.yml")
    found = repo.run(config="gate.yml")
    assert named(found) == ["This change raises max_flip_rate of flips in screen from 0.10 to 0.20."]
    assert found.changes is not None
    assert "where the configuration was fairgate.yaml" in found.changes.message


def test_a_configuration_that_moved_under_other_names_is_found_too(repo: Repository) -> None:
    repo.git("mv", "fairgate.yaml", "gate.yml")
    repo.edit("name: screen", "name: screening", "gate.yml")
    repo.edit("name: decided", "name: decisions", "gate.yml")
    removed = [f"This change removes the suite {name} with all its rules." for name in ("screen", "decided")]
    assert named(repo.run(config="gate.yml")) == removed


def test_a_base_that_this_version_cannot_read(repo: Repository) -> None:
    repo.git("checkout", "-q", "main")
    repo.edit("max_flip_rate", "max_flips")
    repo.commit()
    repo.git("checkout", "-q", "-B", "change")
    repo.edit("max_flips", "max_flip_rate")
    found = repo.run()
    assert (found.verdict, state(found)) == (MANUAL, "unknown")
    assert "fairgate.yaml:12" in named(found)[0]
    assert "/tmp" not in named(found)[0]


def test_golden_cases_of_the_base_that_cannot_be_read(repo: Repository) -> None:
    repo.git("checkout", "-q", "main")
    repo.write("golden.jsonl", "version https://git-lfs.github.com/spec/v1\n")
    repo.commit()
    repo.git("checkout", "-q", "-B", "change")
    repo.write("golden.jsonl", lines(CASES))
    found = repo.run()
    assert found.verdict is MANUAL
    assert "those of the base cannot be read" in named(found)[0]


@pytest.mark.skipif(os.name == "nt", reason="needs symbolic links")
def test_symbolic_links_are_followed_inside_of_the_base(repo: Repository) -> None:
    repo.git("checkout", "-q", "main")
    repo.git("mv", "golden.jsonl", "real.jsonl")
    (repo.folder / "golden.jsonl").symlink_to("real.jsonl")
    repo.commit()
    repo.git("checkout", "-q", "-B", "change")
    repo.write("real.jsonl", lines(CASES[1:]))
    repo.answer()
    assert named(repo.run()) == ["This change deletes 1 case of screen: loan-000."]


# --- sign-offs on file -----------------------------------------------------------------------------------------------


def entry(repo: Repository, suite: int = 1, until: str = "2026-12-31") -> str:
    mark = repo.run().suites[suite].fingerprint or ""
    name = repo.run().suites[suite].name
    return (
        f"signoffs:\n  - suite: {name}\n    fingerprint: {mark[:16]}\n    who: An Nguyễn, credit compliance\n"
        f"    reason: policy 13\n    until: {until}\n"
    )


def test_a_signoff_settles_the_lowered_bar_until_anything_changes(repo: Repository) -> None:
    repo.edit("max_group_gap: 0.6", "max_group_gap: 0.65")
    repo.write(".fairgate/signoffs.yaml", entry(repo))
    found = repo.run()
    assert (found.verdict, found.signoffs[0].state, found.signoffs[0].added) == (PASS, "used", True)
    repo.edit("max_group_gap: 0.65", "max_group_gap: 0.7")
    found = repo.run()
    assert (found.verdict, found.signoffs[0].state) == (MANUAL, "not_matching")


def test_a_signoff_of_the_base_is_told_apart_from_one_of_the_change(repo: Repository) -> None:
    repo.write(".fairgate/signoffs.yaml", entry(repo))
    repo.commit()
    repo.git("branch", "-f", "main")
    repo.write("prompt.md", "x")
    assert repo.run().signoffs[0].added is False


def test_signing_off_does_not_change_what_was_signed(repo: Repository) -> None:
    before = repo.run()
    repo.write(".fairgate/signoffs.yaml", entry(repo))
    after = repo.run()
    assert [suite.fingerprint for suite in after.suites] == [suite.fingerprint for suite in before.suites]
    assert after.fingerprint == before.fingerprint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("until: 2026-12-31", "until: next year", "expected a day such as"),
        ("until: 2026-12-31", "", "until"),
        ("fingerprint: ", "fingerprint: xyz", "expected the fingerprint"),
        ("    reason: policy 13\n", "", "reason"),
        ("who: An Nguyễn, credit compliance", "who: ''", "found an empty text"),
        ("- suite: decided", "- suite: decided\n    run: x", "one of run, suite and rule"),
        ("- suite: decided", "- suites: decided", "did you mean suite"),
    ],
)
def test_a_signoff_that_cannot_be_read_is_never_passed_over(repo: Repository, old: str, new: str, says: str) -> None:
    text = entry(repo)
    assert old in text
    repo.write(".fairgate/signoffs.yaml", text.replace(old, new))
    with pytest.raises(ConfigError, match=says):
        repo.run()
