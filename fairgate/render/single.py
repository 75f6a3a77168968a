"""One case in a terminal with everything shown: what was asked, in full, what came back, what it was read as."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from fairgate.render import answer_phrases, escape
from fairgate.report import Report
from fairgate.results import CaseResult
from fairgate.wording import numbers, sentence

Lines = Sequence[Mapping[str, Any]]


def print_case(report: Report, evidence: Mapping[str, Lines], asked: Mapping[str, Any], console: Console) -> None:
    """Print every question of the case as it was sent, its answer and outcome, then scores and claims.

    :param evidence: suite to its lines of evidence
    :param asked: id of a question to what was sent
    """
    for suite in report.suites:
        _say(console, f"{suite.name}: {report.case}", "bold")
        for line in evidence.get(suite.name, ()):
            _observation(line, asked.get(line["id"]), console)
        for case in suite.cases or []:
            _scores(case, console)


def _observation(line: Mapping[str, Any], sent: Any, console: Console) -> None:
    _say(console, "")
    about = [f"{key}={value}" for key, value in line.get("group", {}).items()]
    about += [str(line[key]) for key in ("task", "judge") if line.get(key)]
    _say(console, f"{line['id']}  {', '.join(about)}".rstrip(), "bold cyan")
    for text in _request(sent):
        _say(console, f"  {text}", "dim")
    outcome = line.get("outcome") or (
        sentence("missing_reason", reason=line["reason"], number=1) if line.get("reason") else ""
    )
    for text in str(line["answer"] if line["answer"] is not None else line.get("detail", "")).split("\n"):
        _say(console, f"  > {text}")
    if outcome:
        _say(console, f"  = {outcome}", "yellow" if line.get("reason") else "green")


def _request(sent: Any) -> list[str]:
    """A request line by line: messages with their roles, anything else as JSON."""
    if sent is None:
        return []
    messages = sent.get("messages") if isinstance(sent, dict) else None
    if not isinstance(messages, list):
        return json.dumps(sent, ensure_ascii=False, indent=2, default=str).split("\n")
    rest = {key: value for key, value in sent.items() if key != "messages"}
    lines = [line for one in messages for line in f"{one.get('role')}: {one.get('content')}".split("\n")]
    return [*lines, json.dumps(rest, ensure_ascii=False, default=str)] if rest else lines


def _scores(case: CaseResult, console: Console) -> None:
    for metric, score in case.scores.items():
        _say(console, "")
        value = numbers.MISSING if score.score is None else numbers.score(score.score)
        reason = f" ({score.reason})" if score.reason else ""
        _say(console, f"{answer_phrases.metric(metric)}: {value} {score.verdict or ''}{reason}".rstrip(), "bold")
        for judge in score.judges:
            _say(console, f"  {judge.name}: {numbers.MISSING if judge.score is None else numbers.score(judge.score)}")
        for claim in score.claims or []:
            _say(console, f"  - “{claim.claim}”: {answer_phrases.claim(claim)}")
        for question in score.questions or []:
            _say(console, f"  ? {question}")


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Text(escape.log_line(text), style=style), highlight=False, soft_wrap=not console.is_terminal)
