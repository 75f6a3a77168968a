"""The embedded judge for having no account: it compares words, numbers and negation, and understands nothing.

It cannot see who did what to whom, synonyms, or numbers written as words. It says what it is (``embedded``), and a
suite judged by it alone never reads PASS. What is known of its agreement with people: benchmarks/lexical.py.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairgate.judges.phrases import ABSTENTION, ADVERSATIVE, COURTESY, TELLING_QUESTION
from fairgate.judges.prompts import task_of
from fairgate.judges.words import Content, content, fold, has_numbers, sentences
from fairgate.models.protocol import CallFailed, Question, Reply

SUPPORTED = 0.75
"""Share of a claim's content words that one window of a context has to hold: among the best on 430 English answers
labelled by people, which were all in view when it was chosen. No other language was measured."""

RELEVANT = 0.5
"""Share of the expected answer's content words that a context has to hold. There are no labels to set it by: passages
from elsewhere are told apart at any threshold from .4 up, passages on the same subject were not measured."""

WINDOW = 2
"""Neighbouring sentences that may support a claim together. Chosen, not measured."""


class Lexical:
    """A ``System`` that answers the tasks of ``fairgate.judges.tasks``, except asking back, without asking anybody."""

    concurrency = 1
    retries = 0

    def request(self, question: Question) -> dict[str, Any]:
        """The fields that it reads."""
        return {"judge": "lexical", "fields": dict(question.fields)}

    def send(self, question: Question) -> Reply:
        """Judge; raises CallFailed ``judge_cannot`` for a task that takes understanding."""
        judge = _TASKS.get(task_of(question).name)
        if judge is None:
            detail = (
                "the lexical judge compares words; it cannot write questions: answer_relevance needs a model as judge"
            )
            raise CallFailed("judge_cannot", detail, asked=False)
        return Reply(text=json.dumps(judge(question.fields), ensure_ascii=False))

    def describe(self) -> dict[str, Any]:
        """That it is no model."""
        return {
            "type": "lexical",
            "model": None,
            "family": None,
            "address": None,
            "embedded": True,
            "dropped": [],
        }

    def files(self) -> list[Path]:
        """None."""
        return []

    def close(self) -> None:
        """Nothing to give back."""


def _list_claims(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"claims": list_claims(fields["answer"])}


def _check_claims(fields: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = [check_claim(claim, fields["contexts"]) for claim in fields["claims"]]
    return {
        "verdicts": [
            {"id": id, "quote": verdict.quote, "supported": verdict.supported}
            for id, verdict in enumerate(verdicts, start=1)
        ]
    }


def _judge_contexts(fields: Mapping[str, Any]) -> dict[str, Any]:
    verdicts = [is_relevant(context, fields["expected"], fields["question"]) for context in fields["contexts"]]
    return {"verdicts": [{"id": id, "relevant": relevant} for id, relevant in enumerate(verdicts, start=1)]}


_TASKS: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "list_claims": _list_claims,
    "check_claims": _check_claims,
    "judge_contexts": _judge_contexts,
}


# --- claims ----------------------------------------------------------------------------------------------------------


def list_claims(answer: str) -> list[str]:
    """The sentences of an answer that claim something, each once."""
    return list(dict.fromkeys(sentence for sentence in sentences(answer) if claims_something(sentence)))


def claims_something(sentence: str) -> bool:
    """Whether a sentence is more than politeness, abstention or a question.

    In doubt it is a claim: one that is left out could hide what no source says.
    """
    folded = fold(sentence).strip()
    said = content(sentence)
    if said.numbers or ADVERSATIVE.search(folded):
        return True
    if folded.rstrip("\"'”’»)").endswith(("?", "؟")):
        return TELLING_QUESTION.search(folded) is not None
    return not all(_says_nothing(clause) for clause in _clauses(sentence))


def _clauses(sentence: str) -> Iterator[str]:
    for clause in re.split(r"[,;:，；：、–—!！。.]+", sentence):
        stripped = fold(clause).strip(" \t\n\"'“”()[]…*-")
        if stripped:
            yield stripped


def _says_nothing(clause: str) -> bool:
    return COURTESY.fullmatch(clause) is not None or ABSTENTION.fullmatch(clause) is not None


# --- support ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Support:
    """The verdict on one claim, and the sentence of a context that comes closest to it."""

    supported: bool
    quote: str
    overlap: float


def check_claim(claim: str, contexts: Sequence[str], threshold: float = SUPPORTED, window: int = WINDOW) -> Support:
    """Whether one window of one context holds enough of a claim's content words, all its numbers, and agrees with it in
    negation."""
    said = content(claim)
    best, closest = Support(False, "", 0.0), 0.0
    for lines in map(sentences, contexts):
        for found in _windows(lines, window):
            there = content(" ".join(found))
            share = overlap(said, there)
            if share <= 0 or (best.supported and share <= best.overlap):
                continue
            quote = max(found, key=lambda line: overlap(said, content(line)))
            agrees = has_numbers(said.numbers, there.numbers) and said.negated == content(quote).negated
            if agrees and share >= threshold:
                best = Support(True, quote, share)
            elif not best.supported and share > closest:
                best, closest = Support(False, quote, share), share
    return best


def _windows(lines: Sequence[str], window: int) -> Iterator[Sequence[str]]:
    """Runs of up to ``window`` neighbouring sentences, the short ones first."""
    for size in range(1, min(window, len(lines)) + 1):
        for start in range(len(lines) - size + 1):
            yield lines[start : start + size]


def overlap(said: Content, there: Content) -> float:
    """Share of the content words and numbers of one text that occur in another, in [0, 1]; 0 for a text without any."""
    size = len(said.words) + len(said.numbers)
    if not size:
        return 0.0
    numbers = sum(has_numbers((number,), there.numbers) for number in said.numbers)
    return (len(said.words & there.words) + numbers) / size


def is_relevant(context: str, expected: str, question: str, threshold: float = RELEVANT) -> bool:
    """Whether a context holds enough of the expected answer: of its words, and at least half of its numbers.

    An expected answer without a word of content ("Yes.") is read together with the question.
    """
    wanted, there = content(expected), content(context)
    if not wanted.words and not wanted.numbers:
        wanted = content(f"{question}\n{expected}")
    known = sum(has_numbers((number,), there.numbers) for number in wanted.numbers)
    return overlap(wanted, there) >= threshold and 2 * known >= len(wanted.numbers)
