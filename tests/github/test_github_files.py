"""What goes to the runner's files: the job summary and the outputs."""

import json
import re
from pathlib import Path

import pytest

from fairgate.github import outputs, summary
from fairgate.verdict import Verdict
from tests.github.report_samples import report, report_with, rule, suite

# --- summary ---------------------------------------------------------------------------------------------------------


def test_the_summary_is_appended(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_text("before\n", encoding="utf-8")
    assert summary.append(file, lambda _: "# Từ chối 😀")
    assert file.read_text(encoding="utf-8") == "before\n# Từ chối 😀\n"


def test_a_page_is_told_its_room_and_is_whole_or_absent(tmp_path: Path) -> None:
    file = tmp_path / "summary.md"
    file.write_bytes(b"12345")
    told: list[int] = []
    assert not summary.append(file, lambda room: (told.append(room), "é" * 48)[1], limit=100)
    assert file.read_bytes() == b"12345"
    assert summary.append(file, lambda room: (told.append(room), "é" * 47)[1], limit=100)
    assert told == [94, 94]
    assert file.stat().st_size == 100
    assert not summary.append(file, lambda _: "x", limit=100)


def test_no_summary_where_the_runner_has_none() -> None:
    assert not summary.append(None, lambda _: "text")


def test_a_lone_surrogate_does_not_stop_it(tmp_path: Path) -> None:
    summary.append(tmp_path / "s.md", lambda _: "a\ud800b")
    assert (tmp_path / "s.md").read_text(encoding="utf-8") == "a\\ud800b\n"


# --- outputs ---------------------------------------------------------------------------------------------------------


def read_outputs(file: Path) -> dict[str, str]:
    """As the runner reads them: a name, a delimiter, lines up to the delimiter."""
    lines, found = file.read_text(encoding="utf-8").split("\n"), {}
    while lines and lines != [""]:
        name, _, delimiter = lines.pop(0).partition("<<")
        end = lines.index(delimiter)
        found[name], lines = "\n".join(lines[:end]), lines[end + 1 :]
    return found


@pytest.mark.parametrize("verdict", list(Verdict))
def test_the_outputs_of_a_verdict(tmp_path: Path, verdict: Verdict) -> None:
    outputs.append(tmp_path / "out", outputs.of_report(report_with(verdict), "fairgate-report/report.json"))
    found = read_outputs(tmp_path / "out")
    assert json.loads(found.pop("result-json")) == {
        "verdict": verdict,
        "exit_code": verdict.exit_code,
        "name": "loan-assistant",
        "suites": [
            {
                "name": "loan-screen",
                "kind": "swap",
                "verdict": verdict,
                "rules": [{"id": "flips", "verdict": verdict}],
            }
        ],
    }
    assert found == {
        "verdict": verdict,
        "exit-code": str(verdict.exit_code),
        "report": "fairgate-report/report.json",
        "flips": "2",
    }


@pytest.mark.parametrize(("flipped", "output"), [((), ""), ((None,), ""), ((0,), "0"), ((3, None, 4), "7")])
def test_flips_are_counted_where_something_was_swapped(flipped: tuple[int | None, ...], output: str) -> None:
    suites = [suite(rule(Verdict.PASS), flipped=count) for count in flipped]
    assert outputs.of_report(report(*suites), "r")["flips"] == output


def test_no_verdict() -> None:
    found = outputs.of_error(2)
    assert (found["verdict"], found["exit-code"]) == ("", "2")
    assert json.loads(found["result-json"]) == {"verdict": None, "exit_code": 2, "suites": []}


@pytest.mark.parametrize(("suites", "rules"), [(1, 2000), (2000, 1)])
def test_the_json_is_bounded(suites: int, rules: int) -> None:
    many = report(
        *(
            suite(*(rule(Verdict.FAIL, f"rule-{number}") for number in range(rules)), name=f"suite {n}")
            for n in range(suites)
        )
    )
    text = outputs.of_report(many, "r")["result-json"]
    assert len(text.encode()) <= outputs.MAX_RESULT_BYTES
    assert json.loads(text)["verdict"] == "FAIL"


def test_no_value_ends_itself(tmp_path: Path) -> None:
    hostile = "a\nEOF\nverdict=PASS\nverdict<<X\nPASS\nX\n\r\n\u2028b"
    outputs.append(tmp_path / "out", {"one": hostile, "two": "2"})
    outputs.append(tmp_path / "out", {"three": ""})
    raw = (tmp_path / "out").read_bytes().decode()
    delimiters = set(re.findall(r"<<(fairgate_[0-9a-f]{32})\n", raw))
    assert len(delimiters) == 2
    assert read_outputs(tmp_path / "out") == {"one": hostile.replace("\r\n", "\n"), "two": "2", "three": ""}


def test_no_outputs_where_the_runner_has_none() -> None:
    outputs.append(None, {"a": "b"})
