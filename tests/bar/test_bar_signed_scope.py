"""A sign-off names exactly what was judged: given under a profile, it says nothing of the whole suite."""

import json
import re
from pathlib import Path

import pytest

from fairgate import gate
from fairgate.cli import main
from fairgate.config import load
from fairgate.fingerprint import suite_inputs
from fairgate.report import Report
from fairgate.verdict import Verdict
from fairgate.world import World
from tests.bar.bar_desk import Repository

PASS, WAITS = Verdict.PASS, Verdict.MANUAL_REVIEW
PROFILES = "profiles:\n  pr: {tags: [mini]}\n  dear: {max_calls: 1000}\n"
SCREEN = "  name: screen\n"


@pytest.fixture
def tagged(repo: Repository) -> Repository:
    """60 cases of which 20 are tagged; whatever is judged waits for a person."""
    repo.edit(SCREEN, f"{SCREEN}  human_signoff: required\n")
    repo.edit("fairness:\n", f"{PROFILES}fairness:\n")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.30")  # what 20 cases can show
    cases = [json.loads(line) for line in (repo.folder / "golden.jsonl").read_text().splitlines()]
    lines = [json.dumps(case | ({"tags": ["mini"]} if number % 3 == 0 else {})) for number, case in enumerate(cases)]
    repo.write("golden.jsonl", "\n".join(lines))
    repo.answer()
    return repo


def report(repo: Repository, profile: str | None) -> Report:
    return gate.run(load(repo.folder / "fairgate.yaml", profile), World(environ={})).report


def sign(repo: Repository, mark: str) -> None:
    entry = {"suite": "screen", "fingerprint": mark, "who": "An", "reason": "read", "until": "2999-01-01"}
    repo.write(".fairgate/signoffs.yaml", json.dumps({"signoffs": [entry]}))


def test_a_look_at_the_tagged_cases_does_not_sign_the_others(
    tagged: Repository, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(tagged.folder / "fairgate.yaml"), "--profile", "pr"]) == WAITS.exit_code
    printed = re.search(r"fingerprint:? ([0-9a-f]{16})", re.sub(r"\s+", " ", capsys.readouterr().out))
    assert printed is not None
    sign(tagged, printed[1])
    small, whole = report(tagged, "pr"), report(tagged, None)
    assert (small.suites[0].counts.cases, small.suites[0].verdict) == (20, PASS)
    assert (whole.suites[0].counts.cases, whole.suites[0].verdict) == (60, WAITS)
    assert [use.state for use in whole.signoffs] == ["not_matching"]


def test_a_look_at_all_cases_is_none_at_a_part_of_them(tagged: Repository) -> None:
    sign(tagged, report(tagged, None).suites[0].fingerprint or "")
    assert report(tagged, None).suites[0].verdict is PASS
    assert report(tagged, "dear").suites[0].verdict is PASS  # it asks and judges the same
    assert report(tagged, "pr").suites[0].verdict is WAITS


def test_status_names_the_change_of_scope(tagged: Repository) -> None:
    found = gate.status(load(tagged.folder / "fairgate.yaml"), World(environ={}), report(tagged, "pr"))
    assert [(one.suite, one.state, one.changed) for one in found] == [
        ("screen", "stale", ("tags",)),
        ("decided", "current", ()),  # decided cases are judged whole
    ]


RAG = """\
rag:
  name: bot
  cases: rag.jsonl
  judge: fast
  panel: [a, b, c]
  rules:
    - {id: faithful, metric: faithfulness, min: 0.5}
    - {id: precise, metric: context_precision, min: 0.5, profiles: [rules]}
profiles:
  same: {max_calls: 1000}
  tags: {tags: [mini]}
  more: {tags: [mini, other]}
  rules: {}
  judge: {judge: d}
  panel: {panel: [a, b, d]}
  none: {panel: []}
  always: {panel_always: true}
"""


def test_whatever_a_profile_changes_about_a_suite_makes_it_another(tmp_path: Path) -> None:
    model = 'type: openai, base_url: "http://localhost:9/v1"'
    judges = [f"  {name}: {{{model}, model: {name}, family: of-{name}}}\n" for name in ("fast", "a", "b", "c", "d")]
    path = tmp_path / "fairgate.yaml"
    path.write_text("judges:\n" + "".join(judges) + RAG, encoding="utf-8")
    case = {"id": "c", "user_query": "q", "answer": "a", "contexts": ["a"], "expected_answer": "a", "tags": ["mini"]}
    (tmp_path / "rag.jsonl").write_text(json.dumps(case), encoding="utf-8")
    marks = {
        name: gate.status(load(path, name), World(environ={}), None)[0].fingerprint
        for name in (None, *load(path).written.profiles)
    }
    assert marks.pop("same") == marks[None]
    assert len(set(marks.values())) == len(marks)


def test_a_file_called_like_a_part_does_not_stand_in_its_place(tagged: Repository) -> None:
    names = ("suite", "tags", "confidence", "fairgate")
    for name in names:
        tagged.write(name, (tagged.folder / "golden.jsonl").read_text())
    for name in names:
        tagged.edit("cases: golden.jsonl", f"cases: {name}")
        found = []
        for profile in (None, "pr"):
            project = load(tagged.folder / "fairgate.yaml", profile)
            found.append(suite_inputs(project, project.config.swap[0], ("swap", 0), {}))
        assert f"./{name}" in found[1]
        assert found[0] != found[1]
        tagged.edit(f"cases: {name}", "cases: golden.jsonl")
