"""When an earlier verdict may be taken over, and how what is on file stands to what is there now: tables."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from fairgate import gate
from fairgate.bar.findings import Reused
from fairgate.bar.reuse import Fresh, reusable, standing, taken_over
from fairgate.bar.signoffs import SignOff
from fairgate.config import load
from fairgate.report import Evidence, Report
from fairgate.world import World
from tests.bar.bar_desk import Repository
from tests.bar.test_bar_review import OF_RUN, P, report, rule, signoff, under

NOW = datetime(2026, 12, 8, 12, tzinfo=UTC)
WEEK = timedelta(days=7)


def earlier(**changed: Any) -> Report:
    return report(rule(P)).model_copy(update={"when": "2026-12-02T12:00:00Z", **changed})


def reviewed(entry: SignOff) -> Report:
    return under(earlier(), OF_RUN, signoffs=(entry,))


def test_the_same_inputs_within_a_week() -> None:
    found = reusable(earlier(), ".fairgate/baseline.json", "cd" * 32, NOW, WEEK)
    assert isinstance(found, Reused)
    assert ".fairgate/baseline.json" in found.message
    again = taken_over(earlier(evidence=Evidence(calls=800)), found, NOW, None, {})
    assert (again.verdict, again.evidence.calls, again.when, again.reused) == (P, 0, "2026-12-08T12:00:00Z", found)


@pytest.mark.parametrize(
    ("last", "fingerprint", "reason"),
    [
        (earlier(), "ef" * 32, "other_inputs"),
        (earlier(when=None), "cd" * 32, "no_date"),
        (earlier(when="yesterday"), "cd" * 32, "no_date"),
        (earlier(when="2027-01-01T00:00:00Z"), "cd" * 32, "from_the_future"),
        (earlier(when="2026-12-01T11:59:59Z"), "cd" * 32, "too_old"),
        (earlier(evidence=Evidence(calls=9, failed=1)), "cd" * 32, "incomplete"),
        (earlier(case="loan-001"), "cd" * 32, "single_case"),
        (under(earlier(), OF_RUN), "cd" * 32, "reviewed"),
        (reviewed(signoff("cd" * 8, run="loan")), "cd" * 32, "reviewed"),
    ],
)
def test_what_has_to_be_run_again(last: Report, fingerprint: str, reason: str) -> None:
    found = reusable(last, "baseline.json", fingerprint, NOW, WEEK)
    assert isinstance(found, Fresh)
    assert found.reason == reason
    assert found.message.startswith("The verdict of baseline.json was not taken over:")


def test_a_verdict_that_was_taken_over_does_not_grow_young_again() -> None:
    found = reusable(earlier(), "a", "cd" * 32, NOW, WEEK)
    assert isinstance(found, Reused)
    again = taken_over(earlier(), found, NOW, None, {})
    assert isinstance(reusable(again, "b", "cd" * 32, NOW + timedelta(days=6), WEEK), Fresh)
    assert standing("screen", "ab" * 32, {}, again, NOW).age == timedelta(days=6)


def states(repo: Repository, last: Report | None) -> dict[str, tuple[str, tuple[str, ...]]]:
    now = World(environ={}, now=lambda: NOW)
    return {one.suite: (one.state, one.changed) for one in gate.status(load(repo.folder / "fairgate.yaml"), now, last)}


def test_status_says_what_changed(repo: Repository) -> None:
    last = repo.run()
    assert states(repo, None) == {"screen": ("never", ()), "decided": ("never", ())}
    assert states(repo, last) == {"screen": ("current", ()), "decided": ("current", ())}
    repo.edit("min_cell: 5", "min_cell: 6")
    repo.edit("loan-059", "last", "golden.jsonl")
    assert states(repo, last) == {"screen": ("stale", ("golden.jsonl",)), "decided": ("stale", ("suite",))}
    repo.edit("name: loan-assistant", "name: loan-assistant\nconfidence: 0.99")
    assert states(repo, last)["decided"] == ("stale", ("confidence", "suite"))
