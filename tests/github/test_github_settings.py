"""Inputs and facts of the job: read once, typos refused."""

from pathlib import Path

import pytest

from fairgate.errors import UsageError
from fairgate.github.settings import REGRESSION, Inputs, InputsError, Settings, When, variable, without_private
from fairgate.verdict import Verdict

FAIL, OPEN, REVIEW = Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW


@pytest.fixture
def job(tmp_path: Path) -> dict[str, str]:
    return {
        "GITHUB_REPOSITORY": "octo/repo",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_RUN_ID": "123",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_WORKSPACE": str(tmp_path),
    }


def test_everything_has_a_default(job: dict[str, str]) -> None:
    settings = Settings.from_environ(job)
    assert settings.inputs == Inputs()
    assert settings.inputs.fail_on == {FAIL, OPEN, REVIEW}
    assert (settings.job.run, settings.job.attempt, settings.job.api_url) == (123, 2, "https://api.github.com")
    assert (settings.job.event_path, settings.job.summary, settings.job.output) == (None, None, None)


def test_an_empty_input_means_its_default(job: dict[str, str]) -> None:
    job |= {variable(name): "  " for name in ("config", "comment", "comment-id", "fail-on", "output-dir")}
    assert Settings.from_environ(job).inputs == Inputs()


def test_inputs_keep_their_hyphens(job: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    job |= {
        "INPUT_CONFIG": "ai/fairgate.yaml",
        "INPUT_TOKEN": "ghs_secret",
        "INPUT_COMMENT": "failures",
        "INPUT_COMMENT-ID": "loan.v2_x-1",
        "INPUT_FAIL-ON": "fail,manual-review",
        "INPUT_OUTPUT-DIR": "out/report",
        "INPUT_WORKING-DIRECTORY": "app",
        "GITHUB_API_URL": "https://ghe.example/api/v3/",
    }
    settings = Settings.from_environ(job)
    assert settings.inputs == Inputs(
        config="ai/fairgate.yaml",
        token="ghs_secret",
        comment=When.FAILURES,
        comment_id="loan.v2_x-1",
        fail_on=frozenset({FAIL, REVIEW}),
        output_dir="out/report",
        working_directory="app",
    )
    assert settings.config == tmp_path / "app/ai/fairgate.yaml"
    assert settings.output_dir == tmp_path / "app/out/report"
    assert settings.job.api_url == "https://ghe.example/api/v3"
    assert "ghs_secret" not in repr(settings)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("fail", {FAIL}),
        ("fail, insufficient-evidence", {FAIL, OPEN}),
        ("fail insufficient-evidence manual-review", {FAIL, OPEN, REVIEW}),
        ("- \n", None),
        ("\nfail\nmanual-review\n", {FAIL, REVIEW}),
        ("fail,,fail,", {FAIL}),
        ("regression", {REGRESSION}),
        ("regression, insufficient-evidence", {REGRESSION, OPEN}),
        ("none", set()),
        (" none\n", set()),
        ("none, fail", None),
        (",", None),
        ("FAIL", None),
        ("failure", None),
        ("insufficient_evidence", None),
        ("false", None),
        ("pass", None),
    ],
)
def test_fail_on(job: dict[str, str], text: str, verdicts: set[Verdict | str] | None) -> None:
    job["INPUT_FAIL-ON"] = text
    if verdicts is None:
        with pytest.raises(InputsError, match=r"fail-on: found .*, expected a list of fail, insufficient-evidence"):
            Settings.from_environ(job)
    else:
        assert Settings.from_environ(job).inputs.fail_on == verdicts


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("comment", "true", "one of always, failures, never"),
        ("comment", "Always", "one of always, failures, never"),
        ("comment-id", "two words", "1 to 64 letters"),
        ("comment-id", "a-->b", "1 to 64 letters"),
        ("comment-id", "x" * 65, "1 to 64 letters"),
        ("comment-id", "é", "1 to 64 letters"),
        ("output-dir", "../elsewhere", "inside the repository"),
        ("output-dir", "/tmp", "inside the repository"),
        ("working-directory", "..", "inside the repository"),
    ],
)
def test_what_is_no_choice_is_refused(job: dict[str, str], name: str, text: str, expected: str) -> None:
    job[variable(name)] = text
    with pytest.raises(InputsError, match=rf"^{name}: found .*{expected}"):
        Settings.from_environ(job)


def test_a_link_out_of_the_repository_is_refused(job: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo/out").symlink_to(tmp_path)
    job |= {"GITHUB_WORKSPACE": str(tmp_path / "repo"), "INPUT_OUTPUT-DIR": "out"}
    with pytest.raises(InputsError, match="output-dir"):
        Settings.from_environ(job)


def test_every_problem_is_told_and_the_rest_is_kept_to_tell_it(job: dict[str, str]) -> None:
    job |= {"INPUT_FAIL-ON": "never", "INPUT_COMMENT": "yes", "INPUT_TOKEN": "t", "INPUT_OUTPUT-DIR": ".."}
    with pytest.raises(InputsError) as caught:
        Settings.from_environ(job)
    assert [line.partition(":")[0] for line in str(caught.value).splitlines()] == ["comment", "fail-on", "output-dir"]
    assert caught.value.settings.inputs == Inputs(token="t")


def test_with_an_unusable_comment_id_no_comment_is_written(job: dict[str, str]) -> None:
    job["INPUT_COMMENT-ID"] = "no way"
    with pytest.raises(InputsError) as caught:
        Settings.from_environ(job)
    assert caught.value.settings.inputs.comment is When.NEVER


@pytest.mark.parametrize("name", ["GITHUB_REPOSITORY", "GITHUB_EVENT_NAME", "GITHUB_RUN_ID", "GITHUB_WORKSPACE"])
def test_outside_of_a_workflow(job: dict[str, str], name: str) -> None:
    del job[name]
    with pytest.raises(UsageError, match=f"{name}: not set.*fairgate run"):
        Settings.from_environ(job)


@pytest.mark.parametrize("text", ["one", "-1", "1.0", "٣"])
def test_a_run_number_is_a_number(job: dict[str, str], text: str) -> None:
    job["GITHUB_RUN_ATTEMPT"] = text
    with pytest.raises(UsageError, match="GITHUB_RUN_ATTEMPT"):
        Settings.from_environ(job)


def test_paths_as_the_repository_knows_them(job: dict[str, str], tmp_path: Path) -> None:
    job["INPUT_WORKING-DIRECTORY"] = "app"
    settings = Settings.from_environ(job)
    assert settings.in_repository("fairgate.yaml") == "app/fairgate.yaml"
    assert settings.in_repository(tmp_path / "x/report.json") == "x/report.json"
    assert settings.in_repository("../../etc/passwd") is None
    assert settings.readable(f"{tmp_path}/app/a.csv:3: wrong, not {tmp_path}/b.csv") == "app/a.csv:3: wrong, not b.csv"


def test_a_run_sees_nothing_of_the_runner() -> None:
    environ = {
        "INPUT_TOKEN": "t",
        "GITHUB_TOKEN": "t",
        "ACTIONS_RUNTIME_TOKEN": "t",
        "OPENAI_API_KEY": "k",
        "PATH": "p",
    }
    assert without_private(environ) == {"OPENAI_API_KEY": "k", "PATH": "p"}
