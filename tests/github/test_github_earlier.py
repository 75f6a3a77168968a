"""Whom a job is compared with, as its inputs say: a report in the repository, or an artifact of the base branch."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fairgate.baseline.load import Baseline, NoBaseline
from fairgate.github.earlier import earlier_run
from fairgate.github.event import base_branch
from fairgate.github.settings import InputsError, Settings
from fairgate.report import Git, Report
from fairgate.world import World
from tests.github.github_double import GitHubDouble
from tests.github.report_samples import report
from tests.github.test_github_artifacts import zipped

Job = Callable[..., Settings]


@pytest.fixture
def job(tmp_path: Path, github: GitHubDouble) -> Job:
    """The settings of a job for a pull request to main, with these inputs."""
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"base": {"ref": "main"}}}', encoding="utf-8")

    def make(**inputs: str) -> Settings:
        environ = {
            "GITHUB_API_URL": github.url, "GITHUB_REPOSITORY": "octo/repo", "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(event), "GITHUB_RUN_ID": "1", "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_WORKSPACE": str(tmp_path), "GITHUB_REF": "refs/pull/7/merge", "INPUT_TOKEN": "job-token",
        }  # fmt: skip
        return Settings.from_environ(environ | {f"INPUT_{name.upper()}": value for name, value in inputs.items()})

    return make


def of_commit(commit: str) -> Report:
    return report().model_copy(update={"git": Git(commit=commit)})


def found(settings: Settings) -> Baseline | NoBaseline | None:
    return earlier_run(settings, World(environ={}, sleep=lambda _: None))


def test_no_input_leaves_it_to_the_configuration(job: Job) -> None:
    assert found(job()) is None


def test_a_report_in_the_repository(job: Job, tmp_path: Path) -> None:
    (tmp_path / "last.json").write_text(report().to_json(), encoding="utf-8")
    baseline = found(job(baseline="last.json"))
    assert isinstance(baseline, Baseline)
    assert baseline.source == "last.json"
    missing = found(job(baseline="other.json"))
    assert isinstance(missing, NoBaseline)
    assert missing.reason == "baseline_not_found"


@pytest.mark.parametrize(("named", "name"), [("artifact", "fairgate-report"), ("artifact:mine", "mine")])
def test_the_newest_artifact_of_the_base_branch(job: Job, github: GitHubDouble, named: str, name: str) -> None:
    github.upload(zipped(("report.json", of_commit("b" * 40).to_json().encode())), name=name)
    baseline = found(job(baseline=named))
    assert isinstance(baseline, Baseline)
    assert (baseline.source, baseline.commit, baseline.when) == (
        f"artifact {name} of main", "b" * 40, "2026-11-01T08:00:00Z",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (of_commit("c" * 40).to_json().encode(), "baseline_other_commit"),
        (b"{}", "baseline_unreadable"),
        (b'{"schema": "fairgate.report/9"}', "baseline_other_schema"),
        (report().model_copy(update={"case": "c1"}).to_json().encode(), "baseline_single_case"),
    ],
)
def test_an_artifact_that_is_no_such_report(job: Job, github: GitHubDouble, content: bytes, reason: str) -> None:
    github.upload(zipped(("report.json", content)))
    missing = found(job(baseline="artifact"))
    assert isinstance(missing, NoBaseline)
    assert missing.reason == reason
    assert missing.sentence


def test_no_artifact_at_all(job: Job) -> None:
    missing = found(job(baseline="artifact"))
    assert isinstance(missing, NoBaseline)
    assert missing.reason == "artifact_none"
    assert "main" in missing.sentence


@pytest.mark.parametrize(
    ("event", "payload", "ref", "branch"),
    [
        ("pull_request", {"pull_request": {"base": {"ref": "main"}}}, "refs/pull/7/merge", "main"),
        ("pull_request", {}, "refs/pull/7/merge", None),
        (
            "merge_group",
            {"merge_group": {"base_ref": "refs/heads/main"}},
            "refs/heads/gh-readonly-queue/main/1",
            "main",
        ),
        ("push", {}, "refs/heads/release/1", "release/1"),
        ("schedule", {}, "refs/heads/main", "main"),
        ("push", {}, "refs/tags/v1", None),
        ("pull_request", {"pull_request": {"base": {"ref": 7}}}, "", None),
    ],
)
def test_the_branch_to_compare_with(event: str, payload: dict[str, Any], ref: str, branch: str | None) -> None:
    assert base_branch(event, payload, ref) == branch


@pytest.mark.parametrize(
    "inputs",
    [
        {"baseline": "../elsewhere.json"},
        {"baseline": "/etc/passwd"},
        {"baseline": "artifact:a/b"},
        {"on-missing-baseline": "skip"},
    ],
)
def test_inputs_that_are_refused(job: Job, inputs: dict[str, str]) -> None:
    with pytest.raises(InputsError):
        job(**inputs)


def test_on_missing_baseline_is_one_of_two(job: Job) -> None:
    assert job().inputs.on_missing_baseline is None
    assert job(**{"on-missing-baseline": "ignore"}).inputs.on_missing_baseline == "ignore"
