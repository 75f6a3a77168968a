"""Whether an earlier run still speaks for this one, and how what is on file stands to what is there now.

Fingerprints are over inputs: the suite, its files and prompts, the systems and judges as configured, the limits, the
version of fairgate. They cannot see that a server has changed the model behind a name, so an earlier verdict ages. A
report is data that anybody could have written: what it says is believed as far as the place it was taken from is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from fairgate.bar.findings import Reused
from fairgate.bar.review import SIGNED
from fairgate.baseline.compare import OF_CHANGE
from fairgate.report import Evidence, Git, Report
from fairgate.wording import sentence
from fairgate.wording.numbers import plural

Reason = Literal[
    "other_inputs",
    "code_under_test",
    "other_rules",
    "no_date",
    "from_the_future",
    "too_old",
    "incomplete",
    "reviewed",
    "compared",
    "single_case",
    "reused_already",
]


Rules = Mapping[str, frozenset[str]]
"""Suite to the ids of its rules."""


@dataclass(frozen=True)
class Fresh:
    """The run has to be made: why the earlier one does not do."""

    reason: Reason
    message: str


def reusable(  # noqa: PLR0913, PLR0917 - each is one thing that decides
    report: Report,
    source: str,
    fingerprint: str,
    now: datetime,
    max_age: timedelta,
    code: str | None = None,
    rules: Rules | None = None,
) -> Reused | Fresh:
    """Whether the verdict of an earlier run may be taken over without asking anybody.

    :param report: the earlier run
    :param source: where its report was taken from, for people
    :param fingerprint: of this run's inputs
    :param now: UTC
    :param code: a system that is code under test, which no fingerprint of inputs holds; None where there is none
    :param rules: suite to the ids of its rules, as this run would judge them; None to leave that out
    :param max_age: an older one is run again, since a name can stand for another model by now
    :returns: ``Fresh`` for whatever is not exactly this run, complete, decided by numbers alone and recent: evidence
        that was missing then may come now, and a review was somebody's word about that day
    """
    when = moment(report.when)
    reason = "code_under_test" if code is not None else _why_not(report, fingerprint, when, now, max_age, rules)
    if reason is not None or when is None:
        why = reason or "no_date"
        return Fresh(
            why, sentence("bar_fresh", reason=why, source=source, when=report.when, age=_days(max_age), system=code)
        )
    commit = report.git.commit if report.git else None
    message = sentence("bar_reused", source=source, when=report.when, commit=commit)
    return Reused(source=source, when=when, commit=commit, message=message)


def taken_over(earlier: Report, reused: Reused, when: datetime, git: Git | None, versions: Mapping[str, str]) -> Report:
    """The report of a run that asked nobody: what the earlier one found, said to be that.

    :param when: the time of this run; ``git`` and ``versions`` are of it too
    """
    of_this_run = {
        "reused": reused,
        "evidence": Evidence(),
        "when": as_text(when),
        "git": git,
        "versions": dict(versions),
    }
    return earlier.model_copy(update={**of_this_run, "baseline": None, "comparison": None, "signoffs": []})


def as_text(when: datetime) -> str:
    """A time as a report has it: 2026-11-30T08:29:51Z."""
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def _days(age: timedelta) -> str:
    """In days, or in hours where it is less than two."""
    days = age / timedelta(days=1)
    return plural(round(days), "day", "days") if days >= 2 else plural(round(24 * days), "hour", "hours")


def moment(text: str | None) -> datetime | None:
    """The time that a report says, in UTC; None when it says none that can be read."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _rules(report: Report) -> dict[str, frozenset[str]]:
    return {suite.name: frozenset(rule.id for rule in suite.rules) for suite in report.suites}


def _why_not(  # noqa: PLR0913, PLR0917 - as above
    report: Report,
    fingerprint: str,
    when: datetime | None,
    now: datetime,
    max_age: timedelta,
    rules: Rules | None,
) -> Reason | None:
    conditions: dict[Reason, bool] = {
        "other_inputs": report.fingerprint != fingerprint,
        "single_case": report.case is not None,
        "other_rules": rules is not None and rules != _rules(report),
        "reused_already": report.reused is not None,
        "no_date": when is None,
        "from_the_future": when is not None and when > now,
        "too_old": when is not None and now - when > max_age,
        "incomplete": any(suite.counts.missing for suite in report.suites) or report.evidence.failed > 0,
        "compared": any(rule.metric in OF_CHANGE for suite in report.suites for rule in suite.rules),
        # What is asked of a person beside the rules is asked again of the verdict that is taken over.
        "reviewed": any(SIGNED in rule.reasons for suite in report.suites for rule in suite.rules)
        or bool(report.changes and report.changes.lowered),
    }
    return next((reason for reason, holds in conditions.items() if holds), None)


# --- what is on file -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Standing:
    """How the last verdict of one suite stands to what is there now.

    :param state: ``current``: it was about exactly this; ``stale``: about something else; ``never``: there is none
    :param age: since then; None where the report does not say when
    :param waits: codes of what the suite asks of a person and nobody has signed off
    :param changed: the parts that differ: files by their path, ``suite``, ``confidence``, ``systems.loan``, ..
    """

    suite: str
    fingerprint: str
    state: Literal["current", "stale", "never"]
    verdict: str | None = None
    age: timedelta | None = None
    commit: str | None = None
    changed: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()


def standing(suite: str, fingerprint: str, inputs: Mapping[str, str], report: Report | None, now: datetime) -> Standing:
    """One suite against the last report.

    :param inputs: what the suite rests on now, part by part
    :param report: the last report; None where there is none
    """
    last = next((one for one in report.suites if one.name == suite), None) if report else None
    if report is None or last is None or report.case is not None:
        return Standing(suite, fingerprint, "never")
    when = moment(report.when)
    if report.reused is not None:
        when = report.reused.when
    names = sorted(inputs.keys() | last.inputs.keys())
    return Standing(
        suite,
        fingerprint,
        "current" if last.fingerprint == fingerprint else "stale",
        last.verdict,
        None if when is None else now - when,
        report.git.commit if report.git else None,
        tuple(name for name in names if inputs.get(name) != last.inputs.get(name)),
        tuple(review.code for review in last.reviews if not review.signed_off),
    )
