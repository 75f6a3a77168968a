"""A run under a profile: what it judges, what its report says of that, and that it never passes for nothing."""

import json
from pathlib import Path

import pytest

from fairgate import gate
from fairgate.cli import main
from fairgate.config import load
from fairgate.render.markdown import comment
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.world import World

CONFIG = """\
systems: {loan: {type: python, callable: "tiers_screen:decide"}}
swap:
  - name: screen
    system: loan
    cases: golden.jsonl
    axes: {gender: {male: {ten: Hùng}, female: {ten: Lan}}}
    outcome: {positive: ["yes"], negative: ["no"]}
    rules:
      - {id: flips, max_flip_rate: 0.05, profiles: nightly}
      - {id: mini-flips, max_flip_rate: 0.2, profiles: pr}
  - name: elsewhere
    decisions: runs.csv
    base: base
    axes: {gender: [male, female]}
    outcome: {column: decision, positive: ["1"], negative: ["0"]}
    rules: [{id: decided-flips, max_flip_rate: 0.05}]
profiles:
  pr: {tags: [mini]}
  nightly: {}
  small: {tags: mini, suites: screen}
"""
SCREEN = (
    "def decide(fields):\n    assert 'tags' not in fields\n    return 'yes' if int(fields['income']) > 9 else 'no'\n"
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "tiers_screen.py").write_text(SCREEN, encoding="utf-8")
    cases = [{"id": f"c{at}", "income": at, **({"tags": ["mini"]} if at % 5 == 0 else {})} for at in range(80)]
    (tmp_path / "golden.jsonl").write_text("\n".join(map(json.dumps, cases)), encoding="utf-8")
    runs = [f"{at},{gender},{at % 2}" for at in range(80) for gender in ("male", "female")]
    (tmp_path / "runs.csv").write_text("\n".join(["base,gender,decision", *runs]) + "\n", encoding="utf-8")
    path = tmp_path / "fairgate.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path


def report(config: Path, profile: str | None) -> Report:
    return gate.run(load(config, profile), World(environ={})).report


def test_the_mini_suite_is_what_is_expected(config: Path) -> None:
    found = report(config, "pr")
    screen, elsewhere = found.suites
    assert (screen.counts.cases, screen.counts.of, screen.counts.expected) == (16, 80, 32)
    assert [rule.id for rule in screen.rules] == ["mini-flips"]
    assert screen.verdict is Verdict.PASS
    assert next(remark.code for remark in screen.warnings) == "tagged_subset"
    assert (elsewhere.counts.cases, elsewhere.counts.of) == (80, None)  # a file of decisions is judged whole


def test_the_report_says_what_it_is_about(config: Path) -> None:
    found = report(config, "pr")
    assert found.profile is not None
    assert (found.profile.name, found.profile.tags) == ("pr", ["mini"])
    assert found.profile.left_out == {"screen": ["flips"]}
    page = comment(found, limit=60_000)
    assert "Profile pr; rule of screen left out: flips." in page
    assert "screen: 16 of 80 cases, 32 answers expected" in page
    assert "Only the 16 of 80 cases were judged that have the tag mini (profile pr)" in page


def test_the_whole_suite_says_nothing_of_a_part(config: Path) -> None:
    found = report(config, "nightly")
    assert [(suite.counts.cases, suite.counts.of) for suite in found.suites] == [(80, None), (80, None)]
    assert found.profile is not None
    assert found.profile.left_out == {"screen": ["mini-flips"]}


def test_without_a_profile_the_limited_rules_are_named(config: Path) -> None:
    found = report(config, None)
    assert [suite.name for suite in found.suites] == ["elsewhere"]
    assert found.profile is not None
    assert (found.profile.name, found.profile.message) == (None, "No profile; not judged without one: screen.")


def test_a_suite_that_is_not_judged_is_named(config: Path) -> None:
    with pytest.raises(Exception, match="no rule applies under this profile"):
        load(config, "small")


def test_each_profile_has_a_fingerprint_of_its_own(config: Path) -> None:
    prints = {report(config, profile).fingerprint for profile in (None, "pr", "nightly")}
    assert len(prints) == 3


def test_another_profile_is_no_change_of_this_one(config: Path) -> None:
    before = report(config, "pr").fingerprint
    config.write_text(CONFIG.replace("nightly: {}", "nightly: {tags: mini}"), encoding="utf-8")
    assert report(config, "pr").fingerprint == before


def test_validate_checks_every_profile(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(
        CONFIG.replace("max_flip_rate: 0.2", "max_flip_rate: 0.1").replace(
            "  small: {tags: mini, suites: screen}\n", ""
        )
    )
    assert main(["validate", str(config)]) == 2
    told = capsys.readouterr().err
    assert f"error: {config}:10: profile pr: rule mini-flips: " in told
    assert "16 cases" in told


def test_the_command_line_runs_and_asks_by_profile(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["variants", str(config), "--profile", "pr"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 32
    assert main(["run", str(config), "--profile", "pr", "--out", str(config.parent / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["profile"]["name"] == "pr"
    assert main(["run", str(config), "--profile", "nope", "--out", str(config.parent / "out")]) == 2
    assert "profile 'nope'" in capsys.readouterr().err


def test_validate_checks_the_profile_that_is_named(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(CONFIG.replace("max_flip_rate: 0.2", "max_flip_rate: 0.1"))
    assert main(["validate", str(config), "--profile", "nightly"]) == 0
    assert main(["validate", str(config), "--profile", "pr"]) == 2
    assert f"error: {config}:10: profile pr: rule mini-flips: " in capsys.readouterr().err
    assert main(["validate", str(config), "--profile", "weekly"]) == 2
    assert "has no profile of this name; it has: pr, nightly, small" in capsys.readouterr().err
