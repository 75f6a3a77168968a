"""Suites as tests draw them: one word per case, one sign per claim, and judges that answer from a table.

``+`` supported with a quote that is in the contexts, ``x`` supported on the judge's word alone, ``-`` not supported,
``?`` no verdict came, ``!`` the judge's whole reply did not come, ``0`` an answer that claims nothing, ``_`` an empty
answer, ``.`` the list of claims did not come. For contexts: ``+`` relevant, ``-`` not, ``?`` and ``!`` as above.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fairgate.config.triad import RagSuite
from fairgate.golden.rag import Sample
from fairgate.models.protocol import CallFailed, Missing, Question, Reply
from fairgate.triad.evidence import Evidence, Key
from fairgate.triad.scores import to_arbitrate

SOURCE = "A source that says what was claimed."
LOST = Missing("timeout", "no answer within 60 s")
Drawings = Mapping[str, str]


def rag_suite(*rules: Mapping[str, Any], **settings: Any) -> RagSuite:
    """A suite judged by ``j``; without rules, one that asks .85 of every answer."""
    written = [{"id": f"r{at}", "metric": "faithfulness", "min": 0.85, **rule} for at, rule in enumerate(rules or [{}])]
    return RagSuite.model_validate({"name": "s", "cases": "c.jsonl", "judge": "j", "rules": written, **settings})


def sample(id: str, drawing: str = "+", *, contexts: int = 1, abstain: bool = False) -> Sample:
    answer = "" if drawing == "_" else f"The answer of {id}."
    return Sample(id, f"question {id}", (SOURCE,) * contexts, answer, "the truth", abstain)


def value_of(task: str, drawing: str) -> dict[str, Any] | None:
    """What a judge replies; None when the reply does not come."""
    if task == "list_claims":
        return None if drawing == "." else {"claims": [f"claim {at}" for at in range(len(drawing.strip("0_")))]}
    if drawing in ("!", ".", "0", "_"):
        return None
    said = "supported" if task == "check_claims" else "relevant"
    quotes = {"+": SOURCE, "x": "words that no source holds", "-": ""}
    verdicts = [
        {"id": at, said: sign in "+x", **({"quote": quotes[sign]} if task == "check_claims" else {})}
        for at, sign in enumerate(drawing, start=1)
        if sign != "?"
    ]
    return {"verdicts": verdicts} if verdicts else None


def reply(value: dict[str, Any] | None) -> Reply | Missing:
    return LOST if value is None else Reply(json.dumps(value), model="m-1")


def claimed(suite: RagSuite, judged: Drawings, panel: Mapping[str, Drawings] | None = None, **more: Any) -> Evidence:
    """Evidence of faithfulness: the judge's verdicts by case, and those of the panel on what is borderline."""
    samples = [sample(id, drawing, abstain=id.startswith("abstain")) for id, drawing in judged.items()]
    replies = {Key(id, "list_claims", "j"): reply(value_of("list_claims", drawing)) for id, drawing in judged.items()}
    replies |= {
        Key(id, "check_claims", "j"): reply(value_of("check_claims", drawing)) for id, drawing in judged.items()
    }
    return _with_panel(Evidence(suite, samples, replies=replies, **more), "check_claims", panel)


def ranked(suite: RagSuite, judged: Drawings, panel: Mapping[str, Drawings] | None = None, **more: Any) -> Evidence:
    """Evidence of context precision: the judge's verdicts on the contexts by case."""
    samples = [sample(id, contexts=len(drawing)) for id, drawing in judged.items()]
    replies = {
        Key(id, "judge_contexts", "j"): reply(value_of("judge_contexts", drawing)) for id, drawing in judged.items()
    }
    return _with_panel(Evidence(suite, samples, replies=dict(replies), **more), "judge_contexts", panel)


def _with_panel(evidence: Evidence, task: Any, panel: Mapping[str, Drawings] | None) -> Evidence:
    arbitrated = to_arbitrate(evidence)
    votes = {
        Key(id, task, judge): reply(value_of(task, drawing))
        for judge, drawings in (panel or {}).items()
        for id, drawing in drawings.items()
    }
    return Evidence(
        evidence.suite,
        evidence.samples,
        replies={**evidence.replies, **votes},
        arbitrated=arbitrated,
        floor=evidence.floor,
    )


class TableJudge:
    """A judge that answers from drawings: (case, task) to a drawing, or to a value of its own."""

    concurrency = 4
    retries = 0

    def __init__(self, drawings: Mapping[tuple[str, str], Any], *, embedded: bool = False, model: str = "m") -> None:
        self.drawings = drawings
        self.embedded = embedded
        self.model = model
        self.asked: list[Question] = []

    def request(self, question: Question) -> dict[str, Any]:
        return dict(question.fields)

    def send(self, question: Question) -> Reply:
        self.asked.append(question)
        case, task = question.id.split("|")[:2]
        drawn = self.drawings.get((case, task), "!")
        value = value_of(task, drawn) if isinstance(drawn, str) else drawn
        if value is None:
            raise CallFailed("timeout", "no answer within 60 s")
        return Reply(json.dumps(value), model=self.model)

    def describe(self) -> dict[str, Any]:
        told = {"type": "openai", "model": self.model, "family": None, "address": "here", "dropped": []}
        return {**told, "embedded": self.embedded}

    def files(self) -> list[Path]:
        return []

    def close(self) -> None:
        """Nothing to give back."""


class Directions:
    """An embedder for which a text lies in the direction that a table says; ``lost`` texts do not come."""

    def __init__(self, directions: Mapping[str, Sequence[float]], lost: Sequence[str] = ()) -> None:
        self.directions = directions
        self.lost = lost
        self.calls = 0

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls += 1
        if any(text in self.lost for text in texts):
            raise CallFailed("unreachable", "nobody answers")
        return [list(self.directions.get(text, (1.0, 0.0))) for text in texts]

    def describe(self) -> dict[str, Any]:
        return {"type": "table", "model": "table", "address": None}

    def close(self) -> None:
        """Nothing to give back."""
