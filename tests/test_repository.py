"""What the repository says of itself is kept in step: README, metadata, workflows, the action's inputs."""

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import fairgate
from fairgate import parties
from fairgate.config import load
from fairgate.stats.binomial import upper_bound
from fairgate.verdict import Verdict

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob("docs/**/*.md"),
    *ROOT.glob("examples/**/README.md"),
]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[str]:
    """The README's code blocks of one language."""
    return [text for found, text in FENCE.findall(README) if found == language]


def workflow_step() -> tuple[dict[str, Any], dict[str, Any]]:
    """The README's job and, of it, the step that uses the action."""
    (workflow,) = [yaml.safe_load(text) for text in blocks("yaml") if "jobs:" in text]
    job = workflow["jobs"]["gate"]
    (step,) = [step for step in job["steps"] if "fairgate@" in step["uses"]]
    return job, step


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


# --- the two commands ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", ["fairgate run examples/loan-screen", "python -m pytest"])
def test_ci_finds_each_of_the_two_commands_once(words: str) -> None:
    commands = [line for _, text in FENCE.findall(README) for line in text.splitlines() if words in line]
    assert len(commands) == 1
    assert commands[0].startswith("python3 -m venv .venv && .venv/bin/pip install -q ")
    assert f"readme_command '{words}'" in (ROOT / ".ci/run").read_text(encoding="utf-8")


def test_the_two_commands_stand_before_everything_else() -> None:
    first, second = blocks("bash")[:2]
    assert "fairgate run examples/loan-screen/fairgate.yaml" in first
    assert "python -m pytest" in second
    assert README.index("comment.png") < README.index(first) < README.index(second) < README.index("```yaml")


def test_the_ci_script_is_executable_bash() -> None:
    script = ROOT / ".ci/run"
    assert script.stat().st_mode & 0o111
    subprocess.run(["bash", "-n", str(script)], check=True)


# --- versions --------------------------------------------------------------------------------------------------------


def pythons() -> list[str]:
    """The Python versions that the metadata names."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def test_every_place_names_the_same_python_versions() -> None:
    oldest, newest = pythons()[0], pythons()[-1]
    ci = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8"))

    assert PROJECT["requires-python"] == f">={oldest}"
    assert f"SUPPORTED=({' '.join(pythons())})" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert ci["jobs"]["check"]["strategy"]["matrix"]["python"] == [oldest, newest]
    assert f"Python {oldest} to {newest}" in README
    assert f"Python {oldest} to {newest}" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_every_place_names_the_same_version() -> None:
    versions = re.findall(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert PROJECT["version"] == fairgate.__version__ == versions[0]
    assert workflow_step()[1]["uses"].endswith(f"@v{PROJECT['version']}")


def test_the_licence_is_the_one_that_the_metadata_names() -> None:
    text = (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert PROJECT["license"] == "Apache-2.0"
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text


# --- the action ------------------------------------------------------------------------------------------------------


def test_the_step_asks_for_no_more_than_it_needs() -> None:
    job, step = workflow_step()
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert all(value == f"${{{{ secrets.{name} }}}}" for name, value in step["env"].items())


def test_the_step_uses_inputs_that_the_action_has() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))["inputs"]
    assert set(workflow_step()[1]["with"]) <= set(inputs)


def test_the_verdict_table_names_every_exit_code() -> None:
    rows = dict(re.findall(r"^\| ([A-Z_]+) \|.*\| (\d) \|$", README, re.MULTILINE))
    assert rows == {verdict.value: str(verdict.exit_code) for verdict in Verdict}


def test_actions_are_pinned_to_a_commit_with_the_version_beside_it() -> None:
    pinned = re.compile(r"\./|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
    for file in ROOT.glob(".github/workflows/*.yml"):
        uses = re.findall(r"uses: (.+)", file.read_text(encoding="utf-8"))
        assert [reference for reference in uses if not pinned.match(reference)] == [], file


def test_workflows_take_no_permission_for_granted() -> None:
    for file in ROOT.glob(".github/workflows/*.yml"):
        assert "permissions" in yaml.safe_load(file.read_text(encoding="utf-8")), file


# --- what is written is there ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_link_within_the_repository_leads_somewhere(page: Path) -> None:
    targets = [target.partition("#")[0] for target in LINK.findall(page.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and "://" not in target and not target.startswith("mailto:")]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_the_golden_suite_of_the_readme_is_ten_lines_and_its_case_fits(tmp_path: Path) -> None:
    (text,) = [text for text in blocks("yaml") if "swap:" in text]
    config = tmp_path / "fairgate.yaml"
    config.write_text(text, encoding="utf-8")
    (tmp_path / "golden").mkdir()
    (tmp_path / "golden/loans.jsonl").write_text(blocks("json")[0], encoding="utf-8")
    questions = parties.questions(load(config))

    suite = yaml.safe_load(text)["swap"]
    case = json.loads(blocks("json")[0])
    fields = set(suite["axes"]["gender"]["male"])

    assert len(text.splitlines()) == 10
    assert set(re.findall(r"\{(\w+)\}", case["note"])) == fields
    assert sorted(question.fields["note"].split(" asks")[0] for question in questions) == [
        "Mr Peter Baker",
        "Ms Anna Baker",
    ]


@pytest.mark.parametrize(("flips", "bases"), [(0, 59), (5, 208)])
def test_the_readme_says_how_many_cases_a_limit_takes(flips: int, bases: int) -> None:
    assert f"{bases}" in README
    assert upper_bound(flips, bases, 0.05) <= 0.05 < upper_bound(flips, bases - 1, 0.05)
