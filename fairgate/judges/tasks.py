"""The four things a judge is asked. A judge is a ``System``: the task travels in ``Question.fields``, and the text of
its ``Reply`` is JSON that was validated against the task's schema.

A verdict list may lack ids (the judge left them out even after the repair): those are missing votes, never a no.
"""

from typing import TypedDict


class ListClaims(TypedDict):
    """List the atomic claims of an answer. Reply: ``{"claims": ["…", …]}``, empty for an answer that claims nothing."""

    task: str  # "list_claims"
    question: str
    answer: str


class CheckClaims(TypedDict):
    """One verdict and one evidence quote for each claim. Reply: ``{"verdicts": [{"id": 1, "supported": true,
    "quote": "…"}, …]}``; ids count from 1 in the order of ``claims``; every id at most once, no other id."""

    task: str  # "check_claims"
    claims: list[str]
    contexts: list[str]


class JudgeContexts(TypedDict):
    """Is each context chunk relevant for arriving at the expected answer? Reply: ``{"verdicts": [{"id": 1,
    "relevant": true}, …]}``."""

    task: str  # "judge_contexts"
    question: str
    expected: str
    contexts: list[str]


class AskBack(TypedDict):
    """Questions that the answer alone would answer, in its own language. Reply: ``{"questions": ["…", "…", "…"]}``."""

    task: str  # "ask_back"
    answer: str
    count: int
