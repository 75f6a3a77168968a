"""What a suite asks of people as a whole: a sign-off for whatever is judged, and for decisions made by no person."""

from collections.abc import Iterator
from typing import Any

from fairgate.bar.signoffs import SHORT
from fairgate.config.model import Config
from fairgate.config.stakes import decider
from fairgate.results import Review, SuiteResult
from fairgate.wording import sentence


def demanded(result: SuiteResult, suite: Any, config: Config) -> SuiteResult:
    """A result with what its suite asks of people; the verdict is for ``bar.review`` to say, which knows the sign-offs.

    Of a suite that was skipped there is nothing to sign.

    :param result: with its fingerprint, which a sign-off has to name
    """
    decides = decider(suite, config)
    reviews = [] if result.skipped else [_review(code, result, suite) for code in _codes(suite, decides)]
    return result.model_copy(update={"decides": decides, "high_stakes": suite.high_stakes, "reviews": reviews})


def _codes(suite: Any, decides: str | None) -> Iterator[str]:
    if suite.high_stakes and decides == "automatic":
        yield "automatic_decision"
    if suite.human_signoff:
        yield "human_signoff_required"


def _review(code: str, result: SuiteResult, suite: Any) -> Review:
    mark, system = (result.fingerprint or "")[:SHORT], getattr(suite, "system", None)
    message = sentence("review_suite", code=code, suite=result.name, system=system, mark=mark)
    return Review.model_validate({"code": code, "message": message})
