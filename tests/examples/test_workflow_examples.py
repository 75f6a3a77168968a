"""The example workflows: inputs and outputs that the action has, nothing taken for granted, a deployment that waits."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples" / "workflows").glob("*.yml"))
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
OURS = "your-org/fairgate@"
PAGE = (ROOT / "docs/github.md").read_text(encoding="utf-8")

each = pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)


def workflow(file: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)  # `on` is no boolean
    return loaded


def steps(file: Path) -> list[dict[str, Any]]:
    return [step for job in workflow(file)["jobs"].values() for step in job["steps"]]


def gate_step(file: Path) -> dict[str, Any]:
    (step,) = [step for step in steps(file) if step.get("uses", "").startswith(OURS)]
    return step


def test_there_are_three() -> None:
    assert [file.name for file in FILES] == ["deploy.yml", "nightly.yml", "pull-request.yml"]


@each
def test_the_keys_are_those_of_a_workflow(file: Path) -> None:
    found = workflow(file)
    assert set(found) == {"name", "on", "permissions", "concurrency", "jobs"}
    for job in found["jobs"].values():
        known = {"name", "runs-on", "timeout-minutes", "permissions", "steps", "outputs", "needs", "if", "environment"}
        assert set(job) <= known
        assert {"runs-on", "timeout-minutes", "permissions"} <= set(job)
    for step in steps(file):
        assert set(step) <= {"uses", "with", "env", "id", "if", "name", "run"}
        assert ("uses" in step) != ("run" in step)


@each
def test_inputs_and_outputs_are_those_of_the_action(file: Path) -> None:
    step = gate_step(file)
    assert set(step["with"]) <= set(ACTION["inputs"])
    used = re.findall(r"steps\.(\w+)\.outputs\.([\w-]+)", file.read_text(encoding="utf-8"))
    assert {name for _, name in used} <= set(ACTION["outputs"])
    assert {id for id, _ in used} <= {step.get("id")}


@each
def test_others_are_pinned_and_secrets_are_named_alike(file: Path) -> None:
    references = re.findall(r"uses: (.+)", file.read_text(encoding="utf-8"))
    assert [one for one in references if not (PINNED.match(one) or one.startswith(OURS))] == []
    assert all(value == f"${{{{ secrets.{name} }}}}" for name, value in gate_step(file)["env"].items())


@each
def test_no_permission_is_taken_for_granted(file: Path) -> None:
    found = workflow(file)
    assert found["permissions"] == {}
    writes = {name for job in found["jobs"].values() for name, value in job["permissions"].items() if value != "read"}
    assert writes == ({"pull-requests"} if "pull_request" in found["on"] else set())
    assert all(
        step["with"]["persist-credentials"] == "false" for step in steps(file) if "checkout" in step.get("uses", "")
    )


def test_the_deployment_waits_for_the_verdict() -> None:
    deploy = workflow(ROOT / "examples/workflows/deploy.yml")["jobs"]
    assert deploy["gate"]["outputs"] == {"verdict": "${{ steps.gate.outputs.verdict }}"}
    assert (deploy["deploy"]["needs"], deploy["deploy"]["if"]) == (
        "gate",
        "${{ needs.gate.outputs.verdict == 'PASS' }}",
    )


def test_the_tiers_ask_for_profiles_that_the_page_shows() -> None:
    section = PAGE.partition("\n## Two tiers\n")[2].partition("\n## ")[0]
    (shown,) = re.findall(r"```yaml\n(profiles:.*?)```", section, re.DOTALL)
    profiles = yaml.safe_load(shown)["profiles"]
    assert {gate_step(file)["with"]["profile"] for file in FILES} == set(profiles)
    assert all(f"examples/workflows/{file.name}" in section for file in FILES)
