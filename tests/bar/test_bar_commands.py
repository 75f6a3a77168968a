"""The commands: one case with everything shown, ``--base``, ``status``; exit codes and files."""

import json

import pytest

from fairgate.cli import main
from fairgate.github.annotations import of_report
from fairgate.github.event import NOT_NAMED, find_base
from fairgate.github.settings import FAIL_ON
from fairgate.render import markdown
from tests.bar.bar_desk import Repository

SHA, HEAD = "a" * 40, "b" * 40


def run(repo: Repository, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    out = str(repo.folder / "fairgate-report")
    more = ["--out", out] if words[0] == "run" else []
    code = main([words[0], str(repo.folder / "fairgate.yaml"), *words[1:], *more])
    told = capsys.readouterr()
    return code, told.out + told.err


def test_one_case_is_shown_and_proves_nothing(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(repo, capsys, "run")[0] == 0
    whole = (repo.folder / "fairgate-report/report.json").read_text("utf-8")
    code, told = run(repo, capsys, "run", "--case", "loan-030")
    assert code == 3
    assert "Only the case loan-030 was run" in told
    assert all(text in told for text in ("gender=male", "gender=female", "> yes", "= positive", "> no", "= negative"))
    assert (repo.folder / "fairgate-report/report.json").read_text("utf-8") == whole
    report = json.loads((repo.folder / "fairgate-report/case/report.json").read_text("utf-8"))
    assert (report["case"], [suite["name"] for suite in report["suites"]]) == ("loan-030", ["screen"])
    assert {rule["verdict"] for rule in report["suites"][0]["rules"]} == {"INSUFFICIENT_EVIDENCE"}


def test_a_flip_of_one_case_fails_no_rate(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.01")
    answers = [json.loads(line) for line in (repo.folder / "answers.jsonl").read_text("utf-8").splitlines()]
    for one in answers:
        one["answer"] = "no" if one["id"].startswith("loan-030|gender=female") else one["answer"]
    repo.write("answers.jsonl", "".join(json.dumps(one) + "\n" for one in answers))
    assert run(repo, capsys, "run", "--case", "loan-030")[0] == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--case", "loan-O30"), "did you mean loan-030"),
        (("--case", "7"), "no case of this id; looked in: screen"),
        (("--case", "loan-030", "--base", "main"), "leave out --base"),
    ],
)
def test_what_cannot_be_run_as_one_case(
    repo: Repository, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    code, told = run(repo, capsys, "run", *words)
    assert code == 2
    assert says in told


def test_base_on_the_command_line(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.12")
    code, told = run(repo, capsys, "run", "--base", "main")
    assert code == 4
    assert "This change raises max_flip_rate of flips in screen from 0.10 to 0.12." in told


def test_status(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    report = ("--report", str(repo.folder / "fairgate-report/report.json"))
    assert "screen: not judged yet" in run(repo, capsys, "status", *report)[1]
    run(repo, capsys, "run")
    code, told = run(repo, capsys, "status", *report)
    assert code == 0
    assert told.count("Passed, today; nothing has changed since") + told.count("Passed, today at") == 2
    listed = json.loads(run(repo, capsys, "status", "--json", *report)[1])
    assert [(one["suite"], one["state"], one["verdict"]) for one in listed] == [
        ("screen", "current", "PASS"),
        ("decided", "current", "PASS"),
    ]
    repo.write("fairgate-report/report.json", "{}")
    code, told = run(repo, capsys, "status", *report)
    assert code == 2
    assert "is no report that this version can read" in told


# --- the event -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "payload", "expected"),
    [
        ("pull_request", {"pull_request": {"base": {"sha": SHA}, "head": {"sha": HEAD}}}, (SHA, HEAD)),
        ("pull_request_target", {"pull_request": {"base": {"sha": SHA}, "head": {"sha": HEAD}}}, (SHA, HEAD)),
        ("merge_group", {"merge_group": {"base_sha": SHA, "head_sha": HEAD}}, (SHA, HEAD)),
        ("pull_request", {"pull_request": {"base": {"sha": "--upload-pack"}}}, (NOT_NAMED, None)),
        ("pull_request", {}, (NOT_NAMED, None)),
        ("push", {"before": SHA}, None),
        ("schedule", {}, None),
    ],
)
def test_the_base_that_an_event_names(event: str, payload: dict[str, object], expected: object) -> None:
    found = find_base(event, payload)
    assert (found and (found.commit, found.head)) == expected


# --- what a reader sees ----------------------------------------------------------------------------------------------


def test_the_comment_begins_with_the_lowered_bar_and_says_how_to_sign(repo: Repository) -> None:
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.12")
    report = repo.run()
    text = markdown.comment(report)
    first = text.splitlines()[0]
    assert "Needs a person: This change raises max" in first
    assert text.index("This change lowers the bar") < text.index(
        "<b>Counted" if "<b>Counted" in text else "**Counted**"
    )
    assert f'fingerprint: "{(report.suites[0].fingerprint or "")[:16]}"' in text
    assert "fetch" not in text


def test_a_rule_that_is_gone_is_annotated_too(repo: Repository) -> None:
    repo.edit("    - {id: flips, max_flip_rate: 0.10}\n", "")
    (annotation,) = of_report(repo.run(), frozenset(FAIL_ON.values()), "fairgate.yaml")
    assert (annotation.level, annotation.file) == ("error", "fairgate.yaml")
    assert annotation.message == "This change removes the rule flips from screen (max_flip_rate 0.1)."


def test_nothing_lowered_takes_one_line(repo: Repository) -> None:
    text = markdown.comment(repo.run())
    assert "Nothing was lowered." in text
    assert "lowers the bar" not in text


def test_names_from_a_configuration_are_escaped(repo: Repository) -> None:
    name = "x](http://evil) @mona <!-- | `"
    repo.edit("{id: flips, max", json.dumps({"id": name})[:-1] + ", max")
    repo.commit()
    repo.git("branch", "-f", "main")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.12")
    text = markdown.comment(repo.run())
    assert "<!--" not in text
    assert "@mona" not in text.replace("@\u200bmona", "").replace("@\u2060mona", "")


def test_a_comment_keeps_its_budget_however_much_was_lowered(repo: Repository) -> None:
    rules = "".join(f"    - {{id: gap-{n}, rate: selection, attribute: sex, max_group_gap: 0.6}}\n" for n in range(400))
    repo.write("fairgate.yaml", (repo.folder / "fairgate.yaml").read_text("utf-8") + rules)
    repo.commit()
    repo.git("branch", "-f", "main")
    repo.edit("max_group_gap: 0.6}", "max_group_gap: 0.61}")
    text = markdown.comment(repo.run())
    assert len(text.encode()) <= markdown.COMMENT_LIMIT
    assert len(markdown.comment(repo.run(), limit=4000).encode()) <= 4000


def test_the_terminal_says_that_nothing_was_lowered(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    _, told = run(repo, capsys, "run", "--base", "main")
    base = repo.git("rev-parse", "main")[:7]
    assert f"Compared with {base}. Nothing was lowered." in told
    assert "lowered" not in run(repo, capsys, "run")[1]


def test_commit_ids_of_a_file_can_be_copied(repo: Repository) -> None:
    found = repo.run()
    base = "4b825dc"
    assert found.changes is not None
    changes = found.changes.model_copy(update={"message": f"Compared with {base}, by @mona, see #12."})
    found = found.model_copy(update={"changes": changes})
    assert f"Compared with {base}, by @\u200bmona, see #\u200b12." in markdown.document(found)
    assert "Compared with 4b8\u200b25dc, by @\u200bmona, see #\u200b12." in markdown.comment(found)


@pytest.mark.parametrize("content", ["", "# nobody yet\n"])
def test_an_empty_file_of_signoffs_says_what_belongs_there(
    repo: Repository, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    repo.write(".fairgate/signoffs.yaml", content)
    code, told = run(repo, capsys, "validate")
    assert code == 2
    assert ".fairgate/signoffs.yaml:1: is empty, expected a mapping with keys like signoffs or version" in told
    repo.write(".fairgate/signoffs.yaml", "signoffs:\n")
    assert run(repo, capsys, "validate")[0] == 0
