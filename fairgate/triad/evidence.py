"""Everything that was asked for one suite and what came of it: judging is a pure function of this, and of nothing else.

What a judge was never asked is as absent as what it did not answer, so evidence can be hidden and judged anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from fairgate.config.triad import Metric, RagSuite
from fairgate.golden.ids import escaped
from fairgate.golden.rag import Sample
from fairgate.models.protocol import Missing, Reply
from fairgate.models.text import parse_json

Answer = Reply | Missing
Task = Literal["list_claims", "check_claims", "judge_contexts", "ask_back"]
TASKS: Mapping[Metric, Task] = {
    "faithfulness": "check_claims",
    "context_precision": "judge_contexts",
    "answer_relevance": "ask_back",
}
"""The task whose reply a metric is counted from."""

OF_ANSWERS: tuple[Metric, ...] = ("faithfulness", "answer_relevance")
"""Metrics of what an answer claims: without a claim there is nothing to score."""

QUESTIONS = 3
"""Questions asked back from each answer."""

NOT_ASKED = Missing("not_asked", "it was not asked", asked=False)
NO_CONTEXTS = Missing("no_contexts", "the system gave no contexts with its answer", asked=False)


class Key(NamedTuple):
    """One judgement: of which case, which task, by which judge."""

    case: str
    task: Task
    judge: str

    @property
    def id(self) -> str:
        """The question's id."""
        return "|".join(map(escaped, self))


def metrics_of(task: Task, suite: RagSuite) -> list[Metric]:
    """The metrics of a suite that a task is asked for."""
    return [
        metric for metric in suite.metrics if TASKS[metric] == task or (task == "list_claims" and metric in OF_ANSWERS)
    ]


@dataclass(frozen=True)
class Given:
    """What is judged of a case: the answer, and what it was made from (None: nothing is known of it)."""

    text: str
    contexts: tuple[str, ...] | None


@dataclass(frozen=True)
class Verdicts:
    """One judge's verdicts on the claims or contexts of a case, in their order; None where one did not come.

    :param quotes: for claims: what the judge quoted for each
    """

    votes: tuple[bool | None, ...]
    quotes: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Evidence:
    """A suite's cases and every reply that exists.

    :param answers: what the system answered, by case; empty when the cases carry their answers
    :param replies: what judges replied
    :param cosines: (case, judge) to the cosines of its question with those that the judge asked back
    :param arbitrated: (rule id, case) of everything that was put to the panel
    :param floor: what unrelated questions of this suite score by these embeddings; None when not measured
    """

    suite: RagSuite
    samples: Sequence[Sample]
    answers: Mapping[str, Answer] = field(default_factory=dict)
    replies: Mapping[Key, Answer] = field(default_factory=dict)
    cosines: Mapping[tuple[str, str], tuple[float, ...] | Missing] = field(default_factory=dict)
    arbitrated: frozenset[tuple[str, str]] = frozenset()
    floor: float | None = None

    def given(self, sample: Sample) -> Given | Missing:
        """The answer of a case: its own, or what the system said, with the contexts of whoever names them.

        An empty answer of a system is an answer, too: it is seen to be empty.
        """
        if self.suite.system is None:
            return Given(sample.answer or "", sample.contexts)
        answer = self.answers.get(sample.id, NOT_ASKED)
        if isinstance(answer, Missing):
            return Given("", sample.contexts) if answer.reason == "empty_answer" else answer
        return Given(answer.text, sample.contexts if answer.contexts is None else answer.contexts)

    def contexts(self, sample: Sample) -> tuple[str, ...] | Missing:
        """What an answer is held against; ``no_contexts`` when there is nothing."""
        given = self.given(sample)
        return given if isinstance(given, Missing) else given.contexts or NO_CONTEXTS

    def claims(self, sample: Sample) -> tuple[str, ...] | Missing:
        """The claims of an answer as the suite's judge listed them, once for everybody."""
        reply = self._read(Key(sample.id, "list_claims", self.suite.judge), "claims")
        if isinstance(reply, Missing):
            return reply
        texts = tuple(claim for claim in reply if isinstance(claim, str))
        return texts if len(texts) == len(reply) else _unusable("list_claims")

    def verdicts(self, sample: Sample, task: Task, judge: str, size: int) -> Verdicts | Missing:
        """A judge's verdicts on the ``size`` claims or contexts of a case."""
        reply = self._read(Key(sample.id, task, judge), "verdicts")
        if isinstance(reply, Missing):
            return reply
        said = "supported" if task == "check_claims" else "relevant"
        by_id = {entry.get("id"): entry for entry in reply if isinstance(entry, dict) and type(entry.get(said)) is bool}
        found = [by_id.get(number, {}) for number in range(1, size + 1)]
        if not any(found):
            return _unusable(task)
        return Verdicts(
            tuple(entry.get(said) for entry in found),
            tuple(quote if isinstance(quote := entry.get("quote"), str) else None for entry in found),
        )

    def questions(self, sample: Sample, judge: str) -> tuple[str, ...] | Missing:
        """The questions that a judge asked back, as many as were wanted."""
        reply = self._read(Key(sample.id, "ask_back", judge), "questions")
        if isinstance(reply, Missing):
            return reply
        found = tuple(text for text in reply if isinstance(text, str) and text.strip())
        if len(found) < QUESTIONS:
            return Missing("too_few_questions", f"{len(found)} of {QUESTIONS} questions were asked back", asked=False)
        return found[:QUESTIONS]

    def _read(self, key: Key, field: str) -> list[Any] | Missing:
        reply = self.replies.get(key, NOT_ASKED)
        if isinstance(reply, Missing):
            return reply
        try:
            value = parse_json(reply.text)
        except ValueError:
            return _unusable(key.task)
        entries = value.get(field) if isinstance(value, dict) else None
        return entries if isinstance(entries, list) else _unusable(key.task)


def _unusable(task: Task) -> Missing:
    return Missing("bad_judgement", f"the reply to {task} holds nothing that can be used", asked=False)
