"""What judges say of answers: claims, scores, who judged."""

from typing import Literal

from pydantic import Field

from fairgate.results.base import Interval, Result
from fairgate.verdict import Verdict


class Claim(Result):
    """One atomic claim of an answer, and what the judges said of it."""

    claim: str
    supported: bool | None = Field(description="null: the verdict did not come")
    evidence_quote: str | None = Field(description="what the judge quoted for it; null when it quoted nothing")
    quote_found: bool = Field(description="whether the quote is really in the contexts")
    votes: dict[str, bool | None] = Field(default_factory=dict, description="judge: its vote; null when missing")


class JudgeScore(Result):
    """What one judge's verdicts come to."""

    name: str
    model: str | None
    score: float | None
    interval: Interval | None = Field(description="over every completion of its missing verdicts")
    reason: str | None = Field(default=None, description="why there is no score")


class CaseScore(Result):
    """One metric of one case: the score, what it came to, and what it rests on."""

    score: float | None
    interval: Interval | None
    verdict: Verdict | None
    arbitrated: bool = Field(default=False, description="the panel was asked")
    majority: dict[str, int] | None = Field(default=None, description="pass, fail, missing: how many judges")
    judges: list[JudgeScore] = Field(default_factory=list)
    reason: str | None = Field(default=None, description="why there is no score, or what kind of score it is")
    claims: list[Claim] | None = None
    relevance: list[bool | None] | None = Field(default=None, description="verdict on each context, in their order")
    questions: list[str] | None = Field(default=None, description="questions asked back from the answer")


class CaseResult(Result):
    """One case of a rag suite with its score for each metric."""

    id: str
    verdict: Verdict | None
    text: str | None = Field(default=None, description="digest of what the case asks and expects, its answer left out")
    question: str
    answer: str
    scores: dict[str, CaseScore] = Field(description="metric: score")


class JudgeInfo(Result):
    """Who judged, as configured and as its server said."""

    name: str
    type: str
    model: str | None
    reported: list[str] = Field(default_factory=list, description="names of models as the server gave them")
    family: str | None = None
    embedded: bool = False
    dropped: list[str] = Field(default_factory=list, description="parameters that the server refused")
    role: Literal["judge", "panel"]
