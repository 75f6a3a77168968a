"""The four verdicts, which of several is the worst, and the exit code of each."""

from collections.abc import Iterable
from enum import StrEnum

ERROR_EXIT_CODE = 2
"""Usage, configuration or unreadable input: there is no verdict."""


class Verdict(StrEnum):
    """What a rule, a suite or a run came to. Best first."""

    PASS = "PASS"  # noqa: S105 - a verdict, not a password
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"
    MANUAL_REVIEW = "MANUAL_REVIEW"
    FAIL = "FAIL"

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0, 3, 4 or 1."""
        return _EXIT_CODES[self]

    @property
    def severity(self) -> int:
        """0 for PASS up to 3 for FAIL."""
        return list(Verdict).index(self)


_EXIT_CODES = {Verdict.PASS: 0, Verdict.FAIL: 1, Verdict.INSUFFICIENT_EVIDENCE: 3, Verdict.MANUAL_REVIEW: 4}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several verdicts: FAIL > MANUAL_REVIEW > INSUFFICIENT_EVIDENCE > PASS.

    Of none at all it is INSUFFICIENT_EVIDENCE: a run starts unproven, so nothing judged is never a PASS.
    """
    return max(verdicts, key=lambda verdict: verdict.severity, default=Verdict.INSUFFICIENT_EVIDENCE)
