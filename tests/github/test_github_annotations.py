"""Annotations and the log: what the runner obeys."""

import io

import pytest

from fairgate.github import annotations
from fairgate.github.annotations import Annotation, Log
from fairgate.verdict import Verdict
from tests.github.report_samples import report, rule, suite

EVERYTHING = frozenset(Verdict)


@pytest.mark.parametrize(
    ("annotation", "command"),
    [
        (Annotation("notice", "hello"), "::notice title=fairgate::hello"),
        (Annotation("error", "50 %\r\n::set-output::x"), "::error title=fairgate::50 %25%0D%0A::set-output::x"),
        (
            Annotation("warning", "a, b: c", "x:y,z%\n", "a,b.yaml", 3),
            "::warning file=a%2Cb.yaml,line=3,title=x%3Ay%2Cz%25%0A::a, b: c",
        ),
    ],
)
def test_a_command_is_one_line(annotation: Annotation, command: str) -> None:
    assert str(annotation) == command
    assert len(str(annotation).splitlines()) == 1


def test_rules_that_did_not_pass_the_worst_first() -> None:
    found = annotations.of_report(
        report(
            suite(rule(Verdict.PASS, "a"), rule(Verdict.INSUFFICIENT_EVIDENCE, "b")),
            suite(rule(Verdict.FAIL, "c"), rule(Verdict.MANUAL_REVIEW, "d"), name="other"),
        ),
        frozenset({Verdict.FAIL, Verdict.MANUAL_REVIEW}),
        "fairgate.yaml",
    )
    assert [(note.level, note.title, note.file) for note in found] == [
        ("error", "FAIL: other / c", "fairgate.yaml"),
        ("error", "MANUAL_REVIEW: other / d", "fairgate.yaml"),
        ("warning", "INSUFFICIENT_EVIDENCE: loan-screen / b", "fairgate.yaml"),
    ]
    assert found[0].message == "2 of 40 decisions changed."


def test_what_does_not_fail_the_job_is_no_error() -> None:
    found = annotations.of_report(report(suite(rule(Verdict.FAIL))), frozenset(), None)
    assert [note.level for note in found] == ["warning"]


@pytest.mark.parametrize(
    ("rules", "shown", "last"), [(10, 10, None), (11, 10, "2 more rules"), (40, 10, "31 more rules")]
)
def test_at_most_ten(rules: int, shown: int, last: str | None) -> None:
    many = report(suite(*(rule(Verdict.FAIL, f"r{number}") for number in range(rules))))
    found = annotations.of_report(many, EVERYTHING, None)
    assert len(found) == shown
    if last:
        assert found[-1].message.startswith(last)


def test_an_error_stands_beside_its_file() -> None:
    message = "app/fairgate.yaml:12: swap[0].rules: wrong\n\nno file: here\nelse.yaml:3: not ours"
    found = annotations.of_error(message, lambda path: path if path == "app/fairgate.yaml" else None)
    assert [(note.level, note.file, note.line) for note in found] == [
        ("error", "app/fairgate.yaml", 12),
        ("error", None, None),
        ("error", None, None),
    ]
    many = annotations.of_error("\n".join(f"problem {number}" for number in range(12)), lambda _: None)
    assert len(many) == 10
    assert many[-1].message.startswith("3 more problems")


# --- the log: a reader that obeys as the runner does ------------------------------------------------------------------


def obeyed(text: str) -> list[str]:
    """The commands of a log that the runner would carry out."""
    stopped, found = None, []
    for line in text.splitlines():
        if stopped is not None:
            if line.strip() == f"::{stopped}::":
                stopped = None
        elif line.strip().startswith("::stop-commands::"):
            stopped = line.strip().removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            found.append(line)
    assert stopped is None
    return found


HOSTILE = (
    "::error::pwned\n##[error]pwned\n::stop-commands::x\n::x::\n  ::add-path::/evil\n::00::\n::warning::no line break"
)


def test_nothing_printed_by_a_run_is_obeyed() -> None:
    stream = io.StringIO()
    log = Log(stream)
    with log.commands_stopped() as inner:
        inner.write(HOSTILE)
    log.annotate([Annotation("error", HOSTILE)])
    log.say(HOSTILE)
    assert obeyed(stream.getvalue()) == [str(Annotation("error", HOSTILE))]


def test_commands_come_back_after_a_failure_with_a_new_word_each_time() -> None:
    stream = io.StringIO()
    log = Log(stream)
    for _ in range(2):
        with pytest.raises(ValueError, match="x"), log.commands_stopped():
            raise ValueError("x")
    log.annotate([Annotation("notice", "alive")])
    assert obeyed(stream.getvalue()) == ["::notice title=fairgate::alive"]
    words = [line for line in stream.getvalue().splitlines() if line.startswith("::stop-commands::")]
    assert len(set(words)) == 2
    assert all(len(word) == len("::stop-commands::") + 32 for word in words)
