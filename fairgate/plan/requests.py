"""The requests that a run would make, as far as they can be known before anybody answers, for their size."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from fairgate.config.triad import RagSuite
from fairgate.golden.rag import Sample
from fairgate.models.protocol import Question, Reply, System
from fairgate.plan.tokens import mean, request_tokens
from fairgate.triad.asking import expected_keys, task_fields
from fairgate.triad.evidence import Evidence, Key

Item = TypeVar("Item")

MOST_RENDERED = 200
"""Requests that are rendered for an average, evenly spread over all of them."""

ASSUMED_ANSWER = "A sentence of an answer that says one thing. " * 5
"""Stands for an answer that nobody gave yet: 225 characters, five claims."""

ASSUMED_CONTEXTS = ("A sentence of a source. " * 40,) * 4
"""Stands for contexts that nobody retrieved yet: four of 960 characters."""


def asked_of_system(questions: Sequence[Question], system: System) -> float | None:
    """Tokens of a request to a system, on average; None without a question."""
    return mean([request_tokens(system.request(question)) for question in spread(questions)])


def asked_of_judge(suite: RagSuite, samples: Sequence[Sample], judges: dict[str, System]) -> dict[str, float | None]:
    """Tokens of a request to each judge of a suite, on average over what it is asked; claims are taken to be the
    sentences of the answer, answers and contexts that do not exist yet to be of an assumed length."""
    evidence = _imagined(suite, samples)
    by_id = {sample.id: sample for sample in samples}
    keys = [key for key in expected_keys(suite, evidence) if _has_text(by_id[key.case], suite)]
    found: dict[str, float | None] = {}
    for name, judge in judges.items():
        asked = [key for key in keys if name == suite.judge or key.task != "list_claims"]
        questions = [Question(key.id, task_fields(key, by_id[key.case], evidence)) for key in spread(asked)]
        found[name] = mean([request_tokens(judge.request(question)) for question in questions])
    return found


def spread(items: Sequence[Item]) -> list[Item]:
    """At most ``MOST_RENDERED`` of the items, evenly spread."""
    step = max(1, -(-len(items) // MOST_RENDERED))
    return list(items[::step])


def _has_text(sample: Sample, suite: RagSuite) -> bool:
    return suite.system is not None or bool((sample.answer or "").strip())


def _imagined(suite: RagSuite, samples: Sequence[Sample]) -> Evidence:
    """The evidence with an answer to everything that comes before a judgement."""
    answers = {sample.id: Reply(ASSUMED_ANSWER, contexts=sample.contexts or ASSUMED_CONTEXTS) for sample in samples}
    evidence = Evidence(suite, [replace(sample, contexts=sample.contexts or ASSUMED_CONTEXTS) for sample in samples])
    replies = {
        Key(sample.id, "list_claims", suite.judge): Reply(json.dumps({"claims": list(_sentences(sample, suite))}))
        for sample in samples
    }
    return replace(evidence, answers=answers if suite.system is not None else {}, replies=replies)


def _sentences(sample: Sample, suite: RagSuite) -> Iterator[str]:
    text = ASSUMED_ANSWER if suite.system is not None else sample.answer or ""
    yield from (part.strip() for part in re.split(r"(?<=[.!?。])\s+|\n+", text) if part.strip())
