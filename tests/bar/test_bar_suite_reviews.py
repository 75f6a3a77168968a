"""What a suite asks of a person as a whole: who decides, and a sign-off whatever the numbers say."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from fairgate import gate
from fairgate.bar.reuse import Standing
from fairgate.cli import main
from fairgate.config import load
from fairgate.errors import ConfigError
from fairgate.github import annotations
from fairgate.render import markdown
from fairgate.render.terminal import print_report
from fairgate.report import Report
from fairgate.results import SuiteResult
from fairgate.verdict import Verdict
from fairgate.world import World
from tests.bar.bar_desk import Repository

P, F, OPEN, M = Verdict.PASS, Verdict.FAIL, Verdict.INSUFFICIENT_EVIDENCE, Verdict.MANUAL_REVIEW
SYSTEM = "{type: recorded, answers: answers.jsonl}"
AUTOMATIC = "{type: recorded, answers: answers.jsonl, decision_maker: automatic}"
HUMAN = AUTOMATIC.replace("automatic", "human")
SIGNED = "  name: screen\n  human_signoff: required\n"
STAKES = "  name: screen\n  high_stakes: true\n"


def ask_for_signoff(repo: Repository) -> None:
    repo.edit("  name: screen\n", SIGNED)


def automatic(repo: Repository) -> None:
    repo.edit(SYSTEM, AUTOMATIC)
    repo.edit("  name: screen\n", STAKES)


def screen(report: Report) -> SuiteResult:
    return report.suites[0]


def sign(repo: Repository, report: Report, **facts: str) -> None:
    entry = {"suite": "screen", "fingerprint": screen(report).fingerprint, "who": "An", "reason": "read", **facts}
    until = "until: 2027-06-30"
    said = "".join(f"    {key}: {json.dumps(value)}\n" for key, value in entry.items())
    repo.write(".fairgate/signoffs.yaml", f"signoffs:\n  -{said[3:]}    {until}\n")


def break_answers(repo: Repository, text: str, cases: int) -> None:
    """Every answer of the women in so many cases, from the eleventh on, is this text."""
    lines = [json.loads(line) for line in (repo.folder / "answers.jsonl").read_text("utf-8").splitlines()]
    touched = {f"loan-{number:03}|gender=female" for number in range(10, 10 + cases)}
    for line in lines:
        if line["id"].partition("#")[0] in touched:
            line["answer"] = text
    repo.write("answers.jsonl", "".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(
    ("ask", "code"), [(ask_for_signoff, "human_signoff_required"), (automatic, "automatic_decision")]
)
@pytest.mark.parametrize(
    ("answer", "cases", "alone"), [("yes", 0, P), ("no", 30, F), ("perhaps", 30, OPEN)], ids=["pass", "fail", "open"]
)
def test_a_review_of_the_suite_hides_no_failure_and_a_signoff_takes_it_away(
    repo: Repository, ask: Callable[[Repository], None], code: str, answer: str, cases: int, alone: Verdict
) -> None:
    break_answers(repo, answer, cases)
    assert screen(repo.run(None)).verdict is alone
    ask(repo)
    asked = repo.run(None)
    assert screen(asked).verdict is (F if alone is F else M)
    assert asked.exit_code == asked.verdict.exit_code == screen(asked).verdict.exit_code
    assert [(one.code, one.signed_off) for one in screen(asked).reviews] == [(code, False)]
    assert [rule.verdict for rule in screen(asked).rules] == [rule.underlying for rule in screen(asked).rules]
    sign(repo, asked)
    settled = repo.run(None)
    assert screen(settled).verdict is alone
    assert screen(settled).reviews[0].signed_off
    assert [entry.state for entry in settled.signoffs] == ["used"]


def test_the_signoff_is_of_what_was_judged(repo: Repository) -> None:
    ask_for_signoff(repo)
    sign(repo, repo.run(None))
    assert repo.run(None).verdict is P
    repo.edit('"number": "3"', '"number": "03"', "golden.jsonl")
    repo.answer()
    asked = repo.run(None)
    assert (asked.verdict, asked.signoffs[0].state) == (M, "not_matching")


@pytest.mark.parametrize("facts", [{"fingerprint": "ff" * 8}, {"suite": "decided"}])
def test_another_signoff_settles_nothing(repo: Repository, facts: dict[str, str]) -> None:
    ask_for_signoff(repo)
    sign(repo, repo.run(None), **facts)
    assert repo.run(None).verdict is M


def test_a_signoff_of_a_rule_is_none_of_the_suite(repo: Repository) -> None:
    ask_for_signoff(repo)
    sign(repo, repo.run(None))
    repo.edit('"screen"', '"screen"\n    rule: flips', ".fairgate/signoffs.yaml")
    assert repo.run(None).verdict is M


def test_it_ends_with_its_day(repo: Repository) -> None:
    ask_for_signoff(repo)
    sign(repo, repo.run(None))
    assert repo.run(None, today="2027-06-30").verdict is P
    assert repo.run(None, today="2027-07-01").verdict is M


def test_fairness_and_decisions_can_ask_for_both(repo: Repository) -> None:
    repo.edit("  name: decided\n", "  name: decided\n  human_signoff: required\n  high_stakes: true\n")
    with pytest.raises(ConfigError, match="high_stakes: suite decided: high_stakes asks who decides; add decision_mak"):
        load(repo.folder / "fairgate.yaml")
    repo.edit("  high_stakes: true\n", "  high_stakes: true\n  decision_maker: automatic\n")
    found = repo.run(None)
    assert [one.code for one in found.suites[1].reviews] == ["automatic_decision", "human_signoff_required"]
    assert (found.suites[0].verdict, found.suites[1].verdict, found.verdict) == (P, M, M)
    assert main(["fairness", str(repo.folder / "fairgate.yaml")]) == 4


@pytest.mark.parametrize(("system", "verdict"), [(HUMAN, P), (AUTOMATIC, M)])
def test_a_person_who_decides_is_review_enough(repo: Repository, system: str, verdict: Verdict) -> None:
    repo.edit("  name: screen\n", STAKES)
    repo.edit(SYSTEM, system)
    found = repo.run(None)
    assert (found.verdict, screen(found).decides) == (verdict, "human" if system is HUMAN else "automatic")


def test_an_automatic_decision_without_high_stakes_is_shown_and_nothing_else(repo: Repository) -> None:
    repo.edit(SYSTEM, AUTOMATIC)
    found = repo.run(None)
    assert (found.verdict, screen(found).decides, screen(found).reviews) == (P, "automatic", [])
    assert "Decides: automatic." in markdown.comment(found)


def test_silence_about_who_decides_is_refused(repo: Repository) -> None:
    repo.edit("  name: screen\n", STAKES)
    with pytest.raises(ConfigError, match=r"swap.high_stakes: suite screen: .* add systems.loan.decision_maker: human"):
        load(repo.folder / "fairgate.yaml")


# --- what people are told --------------------------------------------------------------------------------------------


def in_terminal(report: Report) -> str:
    console = Console(width=200, file=StringIO())
    print_report(report, console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_every_form_says_what_to_do(repo: Repository) -> None:
    automatic(repo)
    repo.edit("  high_stakes: true\n", "  high_stakes: true\n  human_signoff: required\n")
    found = repo.run(None)
    mark = (screen(found).fingerprint or "")[:16]
    for text in (markdown.comment(found), markdown.document(found), in_terminal(found)):
        assert "A person has to sign off screen before this can pass." in text
        assert "none of 60 cases got a different decision" in text
        assert "Decides: automatic, and much is at stake" in text
        assert "screen passes only when a person has signed it off." in text.replace("</b>", "").replace("<b>", "")
        assert "The system loan decides by itself in screen, where much is at stake for people" in text
        assert f'fingerprint: "{mark}"' in text
    (one, other) = annotations.of_report(found, frozenset({M}), "fairgate.yaml")
    assert (one.level, one.title, other.level) == ("error", "MANUAL_REVIEW: screen", "error")
    assert mark in one.message
    assert [one.level for one in annotations.of_report(found, frozenset({F}), None)] == ["warning", "warning"]


def test_the_entry_that_is_shown_settles_it(repo: Repository) -> None:
    ask_for_signoff(repo)
    text = markdown.comment(repo.run(None))
    entry = text[text.index("signoffs:") : text.index("```", text.index("signoffs:"))]
    filled = (
        entry.replace("who: ", "who: An").replace("reason: ", "reason: read").replace("until: ", "until: 2027-06-30")
    )
    repo.write(".fairgate/signoffs.yaml", filled)
    assert repo.run(None).verdict is P


def test_nobody_is_asked_to_sign_a_failure(repo: Repository) -> None:
    break_answers(repo, "no", 30)
    ask_for_signoff(repo)
    found = repo.run(None)
    assert "signoffs:" not in markdown.comment(found)
    assert all("flips" in one.title for one in annotations.of_report(found, frozenset({M, F}), None))


def test_what_was_signed_off_is_not_asked_for(repo: Repository) -> None:
    ask_for_signoff(repo)
    sign(repo, repo.run(None))
    found = repo.run(None)
    assert "signoffs:" not in markdown.comment(found)
    assert "✅ An signed off suite screen" in markdown.comment(found)
    assert annotations.of_report(found, frozenset({M}), None) == []
    assert "<b>screen</b>: signed off <code>human&#95;signoff&#95;required</code>" in markdown.document(found)


def test_one_case_asks_for_no_signature(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    ask_for_signoff(repo)
    out = repo.folder / "report"
    assert main(["run", str(repo.folder / "fairgate.yaml"), "--case", "loan-030", "--out", str(out)]) == 3
    assert "sign it off" not in capsys.readouterr().out


# --- the bar, reuse, status ------------------------------------------------------------------------------------------


def lowered(repo: Repository) -> list[str]:
    changes = repo.run("main").changes
    assert changes is not None
    return [change.message for change in changes.lowered]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (SIGNED, "  name: screen\n", "This change sets human_signoff of screen from required to nothing."),
        (
            "  high_stakes: true\n",
            "  high_stakes: false\n",
            "This change sets high_stakes of screen from true to false.",
        ),
        (AUTOMATIC, HUMAN, "This change sets systems.loan.decision_maker of screen from automatic to human."),
        ("  redact: [ten]\n", "", "This change removes redact.ten of screen."),
    ],
)
def test_asking_less_of_people_is_named(repo: Repository, old: str, new: str, says: str) -> None:
    repo.git("checkout", "-q", "main")
    automatic(repo)
    ask_for_signoff(repo)
    repo.edit("  human_signoff", "  redact: [ten]\n  human_signoff")
    repo.edit("  redact: [ten]\n  human_signoff: required\n", "  human_signoff: required\n  redact: [ten]\n")
    repo.commit("asks for people")
    repo.git("checkout", "-q", "-B", "change")
    assert lowered(repo) == []
    repo.edit(old, new)
    assert lowered(repo) == [says]


@pytest.mark.parametrize(
    ("old", "new"),
    [("  name: screen\n", SIGNED), (SYSTEM, AUTOMATIC), ("  name: screen\n", "  name: screen\n  redact: [ten]\n")],
)
def test_asking_more_of_people_is_not(repo: Repository, old: str, new: str) -> None:
    repo.edit(old, new)
    assert lowered(repo) == []


def rerun(repo: Repository, before: Report) -> Report:
    repo.write("last.json", before.to_json())
    return repo.run(None)


def test_a_signed_verdict_is_taken_over_under_the_signoffs_of_today(repo: Repository) -> None:
    repo.edit("name: loan-assistant\n", "name: loan-assistant\nreuse: true\nbaseline: last.json\nmax_age: 900d\n")
    ask_for_signoff(repo)
    asked = repo.run(None)
    assert asked.verdict is M
    sign(repo, asked)
    settled = rerun(repo, asked)  # what was found stands, and has been signed since
    assert settled.reused is not None
    assert settled.verdict is P
    (repo.folder / ".fairgate" / "signoffs.yaml").unlink()
    settled = settled.model_copy(update={"reused": None})
    again = rerun(repo, settled)
    assert again.reused is not None
    assert (again.verdict, again.exit_code) == (M, 4)


def test_a_report_that_forgot_to_ask_is_asked_again(repo: Repository) -> None:
    repo.edit("name: loan-assistant\n", "name: loan-assistant\nreuse: true\nbaseline: last.json\nmax_age: 900d\n")
    ask_for_signoff(repo)
    asked = repo.run(None)
    forged = screen(asked).model_copy(update={"reviews": [], "verdict": P})
    forgot = asked.model_copy(update={"suites": [forged, *asked.suites[1:]], "verdict": P, "exit_code": 0})
    found = rerun(repo, forgot)
    assert found.reused is not None
    assert found.verdict is M


def test_a_rule_that_was_signed_off_is_judged_again(repo: Repository) -> None:
    repo.edit("name: loan-assistant\n", "name: loan-assistant\nreuse: true\nbaseline: last.json\nmax_age: 900d\n")
    repo.edit("max_flip_rate: 0.10", "max_flip_rate: 0.10, requires_manual_review: true")
    sign(repo, repo.run(None))
    settled = repo.run(None)
    assert settled.verdict is P
    assert "a person had a say in it" in (rerun(repo, settled).not_reused or "")


def standing(repo: Repository, last: Report) -> Standing:
    world = World(environ={}, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    return gate.status(load(repo.folder / "fairgate.yaml"), world, last)[0]


def test_status_goes_by_the_signoffs_on_file(repo: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    ask_for_signoff(repo)
    last = repo.run(None)
    asked = standing(repo, last)
    assert (asked.verdict, asked.state, asked.waits) == (M, "current", ("human_signoff_required",))
    path = repo.folder / "report.json"
    path.write_text(last.to_json(), encoding="utf-8")
    main(["status", str(repo.folder / "fairgate.yaml"), "--report", str(path)])
    assert "nothing has changed since, waits for a sign-off" in capsys.readouterr().out
    sign(repo, last)
    assert (standing(repo, last).verdict, standing(repo, last).waits) == (P, ())


def test_a_review_is_no_new_failure(repo: Repository) -> None:
    before = repo.run(None)
    repo.write("last.json", before.to_json())
    repo.edit("name: loan-assistant\n", "name: loan-assistant\nbaseline: last.json\n")
    repo.edit("    - {id: flips,", "    - {id: nothing-new, no_new_failures: true}\n    - {id: flips,")
    ask_for_signoff(repo)
    found = repo.run(None)
    assert {rule.id: rule.verdict for rule in screen(found).rules}["nothing-new"] is P
    assert found.comparison is not None
    assert (screen(found).verdict, found.comparison.worse) == (M, [])


def test_a_suite_without_its_secret_has_nothing_to_sign(repo: Repository) -> None:
    asked = 'url: "http://localhost:1/", body: {q: "{{ ten }} {{ income }}"}, answer: a'
    repo.edit(SYSTEM, f"{{type: http, {asked}, api_key_env: LOAN_KEY}}")
    ask_for_signoff(repo)
    world = World(environ={}, now=lambda: datetime(2026, 12, 1, tzinfo=UTC))
    found = gate.run(load(repo.folder / "fairgate.yaml"), world, skip_without_secrets=True).report
    assert (screen(found).skipped, screen(found).verdict, screen(found).reviews) == ("missing_secret", OPEN, [])


def test_two_reports_side_by_side_show_it(repo: Repository, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = repo.run(None)
    ask_for_signoff(repo)
    after = repo.run(None)
    for name, report in (("before", before), ("after", after)):
        (tmp_path / f"{name}.json").write_text(report.to_json(), encoding="utf-8")
    assert main(["compare", str(tmp_path / "before.json"), str(tmp_path / "after.json"), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["verdict"] for row in rows if row["suite"] == "screen"] == ["PASS", "MANUAL_REVIEW"]
