"""Whole runs beside a baseline: configuration, asking again, command line, comment."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fairgate import cli, gate
from fairgate.config import load
from fairgate.errors import ConfigError
from fairgate.render import markdown
from fairgate.report import Report
from fairgate.validation import validate
from fairgate.verdict import Verdict
from fairgate.world import World

CONFIG = """\
systems: {loan: {type: python, callable: "NAME:decide"}}
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
  outcome: {positive: ["yes"], negative: ["no"]}
  rules:
    - {id: flips, max_flip_rate: 0.5}
    - {id: nothing-new, no_new_flips: true}
baseline: base/report.json
"""
CALLABLE = """\
asked = {}


def decide(fields):
    key = fields["number"], fields["ten"]
    asked[key] = asked.get(key, 0) + 1
    number = int(fields["number"])
    if number >= 10:
        return "no"
    return "no" if fields["ten"] == "Lan" and (FLIPS) else "yes"
"""
WORLD = World(environ={}, now=lambda: datetime(2026, 11, 30, 8, 29, 51, tzinfo=UTC))
_used: list[int] = []


def project(folder: Path, flips: str, config: str = CONFIG) -> Path:
    """A folder with a system of its own; modules are imported once, so each has another name."""
    _used.append(0)
    name = f"baseline_callable_{len(_used)}"
    (folder / f"{name}.py").write_text(CALLABLE.replace("FLIPS", flips), encoding="utf-8")
    (folder / "golden.csv").write_text("id,number\n" + "".join(f"c{n},{n}\n" for n in range(20)), encoding="utf-8")
    path = folder / "fairgate.yaml"
    path.write_text(config.replace("NAME", name), encoding="utf-8")
    return path


def run(folder: Path, flips: str, config: str = CONFIG) -> Report:
    return gate.run(load(project(folder, flips, config)), WORLD).report


@pytest.fixture
def based(tmp_path: Path) -> Path:
    """A folder whose baseline has one flip, of c0."""
    (tmp_path / "base").mkdir()
    (tmp_path / "base/report.json").write_text(run(tmp_path, "number == 0").to_json(), encoding="utf-8")
    return tmp_path


def test_the_first_run_has_no_baseline_and_says_so(tmp_path: Path) -> None:
    found = run(tmp_path, "False")
    assert found.when == "2026-11-30T08:29:51Z"
    assert found.baseline is not None
    assert (found.baseline.state, found.baseline.reason) == ("missing", "baseline_not_found")
    assert found.suites[0].rules[1].verdict is Verdict.INSUFFICIENT_EVIDENCE
    assert "There is no report at base/report.json." in markdown.comment(found)
    ignored = run(tmp_path, "False", CONFIG + "on_missing_baseline: ignore\n")
    assert ([rule.id for rule in ignored.suites[0].rules], ignored.verdict) == (["flips"], Verdict.PASS)


def test_new_flips_are_asked_again_and_named(based: Path) -> None:
    found = run(based, "number in (0, 3) or (number == 5 and asked[key] == 1)")
    assert found.comparison is not None
    flips = found.comparison.suites[0].flips
    assert flips is not None
    assert [flip.case for flip in flips.newly_flipped] == ["c3"]
    assert (flips.still_flipped, flips.not_repeated, flips.asked_again) == (["c0"], ["c5"], 2)
    assert found.evidence.calls == 40 + 4
    assert [(worse.suite, worse.rule) for worse in found.comparison.worse] == [("screen", "nothing-new")]
    page = markdown.comment(found)
    assert "Compared with base/report.json of 2026-11-30" in page
    assert "- This change broke 1 rule: nothing-new (screen)." in page
    assert "screen: 1 → 3 of 20 cases flip, 1 of them new (named below); none settled." in page
    assert "  - c3: now positive for male; negative for female" in page


def test_a_change_that_settles_flips_passes(based: Path) -> None:
    found = run(based, "False")
    assert found.comparison is not None
    assert found.comparison.suites[0].flips is not None
    assert found.comparison.suites[0].flips.newly_settled == ["c0"]
    assert found.suites[0].rules[1].verdict is Verdict.PASS
    assert found.comparison.worse == []


def test_a_baseline_outside_of_the_repository_is_refused(tmp_path: Path) -> None:
    path = project(tmp_path, "False", CONFIG.replace("base/report.json", "../base.json"))
    with pytest.raises(ConfigError, match=r"fairgate.yaml:\d+: baseline: .* leaves the repository"):
        gate.run(load(path), WORLD)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("{id: x, no_new_flips: false}", "expected exactly one of"),
        ("{id: x, no_new_flips: true, max_regression: 0.1}", "expected exactly one of"),
        ("{id: x, max_regression: 0.1, rate: selection}", "rate: selection and an attribute"),
        ("{id: x, no_new_flips: true, attribute: gender, rate: selection}", "remove rate and attribute"),
        ("{id: x, max_regression: 0.1, rate: selection, attribute: age}", "attribute 'age' is not declared"),
        ("{id: x, no_new_flips: true, max_fliprate: 0.1}", "unknown key"),
        ("{id: flips, no_new_flips: true}", "is taken already"),
    ],
)
def test_a_rule_over_the_change_that_makes_no_sense(tmp_path: Path, rule: str, said: str) -> None:
    config = CONFIG.replace("{id: nothing-new, no_new_flips: true}", rule)
    with pytest.raises(ConfigError, match=said) as error:
        load(project(tmp_path, "False", config))
    assert "fairgate.yaml:11: swap.rules[1]" in str(error.value)


def test_no_new_failures_needs_a_rule_to_compare(tmp_path: Path) -> None:
    config = CONFIG.replace("    - {id: flips, max_flip_rate: 0.5}\n", "").replace("no_new_flips", "no_new_failures")
    with pytest.raises(ConfigError, match="there is none"):
        load(project(tmp_path, "False", config))


def test_validate_names_a_limit_that_no_result_could_keep(tmp_path: Path) -> None:
    rules = "{id: rise, max_regression: 0.05}\n    - {id: tight, max_flip_rate: 0.01}"
    config = CONFIG.replace("{id: flips, max_flip_rate: 0.5}", rules)
    findings = validate(load(project(tmp_path, "False", config)), WORLD)
    assert {(finding.where, finding.message[:12]) for finding in findings} == {
        (("swap", 0, "rules", 0), "rule rise: W"),
        (("swap", 0, "rules", 1), "rule tight: "),
    }
    assert any("59 are needed" in finding.message for finding in findings)


def test_the_command_line_names_a_baseline(based: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = project(based, "number == 3", CONFIG.replace("baseline: base/report.json\n", ""))
    out = based / "out"
    code = cli.main(
        ["run", str(config), "--out", str(out), "--baseline", str(based / "base/report.json"), "--json"], WORLD
    )
    printed = json.loads(capsys.readouterr().out)
    assert (code, printed["baseline"]["state"]) == (1, "used")
    assert (out / "report.md").read_text(encoding="utf-8").count("newly flipped: 1") == 1


def test_compare_prints_the_table(based: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = based / "base/report.json", based / "second.json"
    second.write_text(run(based, "number < 9").to_json(), encoding="utf-8")
    assert cli.main(["compare", str(first), str(second), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert table["schema"] == "fairgate.comparison/1"
    since = table["rows"][1]["since_first"]
    assert since == {"pairs": 20, "new": 8, "settled": 0, "open": 0, "p": pytest.approx(2 / 2**8)}
    assert table["rows"][1]["gaps"] == {"gender": pytest.approx(9 / 20)}
    assert cli.main(["compare", str(first), str(second), "--format", "md"]) == 0
    page = capsys.readouterr().out
    assert "8 new, 0 settled of 20 | .0078 | gender 45 points" in page
    assert cli.main(["compare", str(first), str(second)]) == 0
    assert "Verdict" in capsys.readouterr().out


def test_compare_refuses_what_is_no_report(based: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = str(based / "base/report.json")
    for arguments, said in (
        ([report], "two or more"),
        ([report, report], "two or more"),
        ([report, str(based / "golden.csv")], "cannot be read as a report"),
        ([report, str(based / "nowhere.json")], "There is no report"),
    ):
        assert cli.main(["compare", *arguments]) == 2
        assert said in capsys.readouterr().err


def test_the_percentage_goes_by_the_cases_that_stand_beside_it(tmp_path: Path) -> None:
    before = run(tmp_path, "False")
    kept = before.suites[0].outcomes
    assert kept is not None
    fewer = kept.model_copy(update={"bases": kept.bases[:4]})
    flips = before.suites[0].flips
    assert flips is not None
    half = before.suites[0].model_copy(update={"outcomes": fewer, "flips": flips.model_copy(update={"bases": 4})})
    (tmp_path / "base").mkdir()
    told = before.model_copy(update={"suites": [half]}).to_json()
    (tmp_path / "base" / "report.json").write_text(told, encoding="utf-8")
    found = run(tmp_path, "number == 2")
    rule = next(one for one in found.suites[0].rules if one.id == "nothing-new")
    assert (rule.estimate, rule.compared) == (0.25, 4)
    row = next(line for line in markdown.comment(found).splitlines() if "nothing-new" in line and line[0] == "|")
    assert "<sub>4 cases of both runs</sub>" in row
    assert "25\u00a0%" in row


def test_a_folder_is_no_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "report.json").write_text("{}", encoding="utf-8")
    assert cli.main(["compare", str(tmp_path / "one"), str(tmp_path / "other.json")]) == 2
    said = capsys.readouterr().err
    assert f"compare: {tmp_path / 'one'} is a folder; name its report: {tmp_path / 'one' / 'report.json'}" in said
    (tmp_path / "two").mkdir()
    assert cli.main(["compare", str(tmp_path / "two"), str(tmp_path / "other.json")]) == 2
    assert "is a folder; no report.json lies in it" in capsys.readouterr().err


# --- levels in another order -----------------------------------------------------------------------------------------

TURNED = CONFIG.replace("{male: {ten: Hùng}, female: {ten: Lan}}", "{female: {ten: Lan}, male: {ten: Hùng}}")


def test_levels_in_another_order_are_compared_as_they_are(based: Path) -> None:
    found = run(based, "number in (0, 3)", TURNED)
    assert found.comparison is not None
    (suite,) = found.comparison.suites
    assert suite.flips is not None
    assert (suite.flips.pairs, suite.changed, suite.flips.still_flipped) == (20, [], ["c0"])
    (flip,) = suite.flips.newly_flipped
    assert (flip.positive, flip.negative) == ([{"gender": "male"}], [{"gender": "female"}])
    assert run(based, "number == 0", TURNED).suites[0].rules[1].verdict is Verdict.PASS


def test_people_who_changed_their_levels_are_other_people(based: Path) -> None:
    swapped = CONFIG.replace("{male: {ten: Hùng}, female: {ten: Lan}}", "{male: {ten: Lan}, female: {ten: Hùng}}")
    found = run(based, "number == 0", swapped)
    assert found.comparison is not None
    assert {case.what for case in found.comparison.suites[0].changed} == {"people"}
    assert found.suites[0].rules[1].verdict is Verdict.INSUFFICIENT_EVIDENCE


@pytest.mark.parametrize(
    ("order", "compared"),
    [
        ("gender: {female: {ten: Lan}, male: {ten: Hùng}}, region: {hue: {que: Huế}, vinh: {que: Vinh}}", False),
        ("region: {hue: {que: Huế}, vinh: {que: Vinh}}, gender: {male: {ten: Hùng}, female: {ten: Lan}}", True),
    ],
)
def test_under_one_at_a_time_another_reference_is_not_compared_and_said_so(
    tmp_path: Path, order: str, compared: bool
) -> None:
    axes = "gender: {male: {ten: Hùng}, female: {ten: Lan}}, region: {hue: {que: Huế}, vinh: {que: Vinh}}"
    config = CONFIG.replace("    gender: {male: {ten: Hùng}, female: {ten: Lan}}\n", f"    {axes}\n")
    config = config.replace("axes:\n    ", "axes: {").replace(
        "}}\n  outcome", "}}}\n  design: one_at_a_time\n  outcome"
    )
    (tmp_path / "base").mkdir()
    (tmp_path / "base/report.json").write_text(run(tmp_path, "number == 0", config).to_json(), encoding="utf-8")
    found = run(tmp_path, "number == 0", config.replace(axes, order))
    assert found.comparison is not None
    (suite,) = found.comparison.suites
    verdict = Verdict.PASS if compared else Verdict.INSUFFICIENT_EVIDENCE
    assert found.suites[0].rules[1].verdict is verdict
    assert (suite.reason, suite.changed) == (None if compared else "other_axes", [])
