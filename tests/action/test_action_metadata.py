"""action.yml, the settings and the page about them say the same."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairgate.github import outputs
from fairgate.github.settings import Inputs, Settings, variable
from fairgate.verdict import Verdict
from tests.github.report_samples import report_with

ROOT = Path(__file__).resolve().parents[2]
METADATA: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs/github.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def table(title: str) -> dict[str, list[str]]:
    """The cells of the table under a heading, by the name in its first column."""
    section = PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| `")]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_inputs_are_the_settings_and_the_page() -> None:
    fields = [field.name.replace("_", "-") for field in dataclasses.fields(Inputs)]
    assert list(METADATA["inputs"]) == fields == list(table("Inputs"))


def test_every_default_is_the_same_in_all_three(tmp_path: Path) -> None:
    documented = {name: cells[0].strip("`") for name, cells in table("Inputs").items()}
    declared = {name: entry["default"] for name, entry in METADATA["inputs"].items()}
    assert documented == declared
    job = {"GITHUB_REPOSITORY": "o/r", "GITHUB_EVENT_NAME": "push", "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1"}
    as_declared = {variable(name): value for name, value in declared.items() if name != "token"}
    settings = Settings.from_environ({**job, "GITHUB_WORKSPACE": str(tmp_path), **as_declared})
    assert settings.inputs == Inputs()


def test_the_outputs_are_what_is_written_and_the_page() -> None:
    written = [*outputs.of_report(report_with(Verdict.PASS), "r"), "comment-url"]
    assert list(METADATA["outputs"]) == written == list(table("Outputs"))
    assert list(outputs.of_error(2)) == written[:-1]


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_everything_is_described(kind: str) -> None:
    for name, entry in METADATA[kind].items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert entry["description"].strip()


def test_what_the_marketplace_asks_for() -> None:
    assert METADATA["name"] == "Fairgate – AI fairness and RAG gate"
    assert len(METADATA["description"]) <= 125
    assert METADATA["author"]
    assert set(METADATA["branding"]) == {"icon", "color"}
    assert METADATA["runs"] == {"using": "docker", "image": "Dockerfile"}


def test_the_image_is_as_a_docker_action_has_to_be() -> None:
    instructions = [line.split()[0] for line in DOCKERFILE.splitlines() if re.match(r"[A-Z]+ ", line)]
    assert not {"USER", "WORKDIR", "CMD", "VOLUME"} & set(instructions)
    assert instructions[-1] == "ENTRYPOINT"
    assert re.search(r'^ENTRYPOINT \["/[^"]+", "-I", .*"-m", "fairgate\.action"\]$', DOCKERFILE, re.MULTILINE)
    # The package comes after its dependencies, so that a change of it does not install them anew.
    assert DOCKERFILE.index("COPY pyproject.toml") < DOCKERFILE.index("pip install") < DOCKERFILE.index("COPY fairgate")
