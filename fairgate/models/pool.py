"""Asks many questions at once, of one party or of several, and brings the answers back to one thread."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import TypeAlias

from fairgate.models.calling import ask
from fairgate.models.engine import Engine, Party, alone
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.models.quiet import quiet
from fairgate.world import World

Answer = Reply | Missing
OnAnswer = Callable[[Question, Answer], None]


def ask_all(system: System, questions: Iterable[Question], world: World, on_answer: OnAnswer) -> dict[str, Answer]:
    """Ask every question, at most ``system.concurrency`` at a time.

    While this runs, stdout belongs to nobody: what a system prints goes to stderr.

    :param system: a ``Party`` is asked through the engine of its run; any other for itself
    :param on_answer: called in the caller's thread, in the order in which answers come
    :returns: an answer or the reason for its absence by question id, in the order of the questions
    :raises FairgateError: when a question cannot even be put together
    """
    return ask_together([(system, questions)], world, on_answer)[0]


def ask_together(
    asked: Sequence[tuple[System, Iterable[Question]]], world: World, on_answer: OnAnswer
) -> list[dict[str, Answer]]:
    """Ask several parties at the same time, each its own questions with its own concurrency; see ``ask_all``.

    :param asked: parties of one run
    :returns: the answers of each
    """
    batches = [
        _Batch(system if isinstance(system, Party) else alone(system, world), list(questions))
        for system, questions in asked
    ]
    for batch in batches:
        if len({question.id for question in batch.questions}) != len(batch.questions):
            raise ValueError("two questions of one run have the same id")
    with quiet():
        for batch, question, answer in _answers(batches):
            batch.answers[question.id] = answer
            on_answer(question, answer)
    return [{question.id: batch.answers[question.id] for question in batch.questions} for batch in batches]


@dataclass
class _Batch:
    """Questions to one party, taken in their order by several threads."""

    party: Party
    questions: list[Question]
    answers: dict[str, Answer] = field(default_factory=dict)
    _todo: deque[Question] = field(init=False)
    _taken: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def __post_init__(self) -> None:
        self._todo = deque(self.questions)

    def take(self) -> tuple[Question, str] | None:
        """The next question with its key; None when there is none left. Keys are given in the order of the questions,
        so that a repeat has the same one in every run."""
        with self._lock:
            if not self._todo:
                return None
            question = self._todo.popleft()
            self._taken.add(question.id)
            return question, "" if self.party.free else self.party.engine.key(self.party, question)

    def given_up(self, missing: Missing) -> Iterator[tuple[Question, Answer]]:
        """Everything without an answer; what was being asked counts as asked."""
        with self._lock:
            self._todo.clear()
        for question in self.questions:
            if question.id not in self.answers:
                yield question, replace(missing, asked=question.id in self._taken and not self.party.free)


@dataclass(frozen=True)
class _Result:
    """What became of a question; ``kept`` when nobody had to be asked for it."""

    batch: _Batch
    question: Question
    answer: Answer | BaseException
    kept: bool = False


_Results: TypeAlias = "SimpleQueue[_Result | None]"


def _answers(batches: Sequence[_Batch]) -> Iterator[tuple[_Batch, Question, Answer]]:
    """Everything that was asked with its answer, as they come; in the caller's thread.

    The threads are daemons: an interrupted run ends at once, however long a call still takes.
    """
    count = sum(len(batch.questions) for batch in batches)
    if not count:
        return
    engine = batches[0].party.engine
    results: _Results = SimpleQueue()
    abandoned: list[bool] = []
    with engine.stop.waking(lambda: results.put(None)):
        for batch in batches:
            for _ in range(min(batch.party.concurrency, len(batch.questions))):
                Thread(target=_work, args=(batch, results, abandoned), daemon=True).start()
        try:
            for result in _until_stopped(results, engine, count):
                yield _settled(result)
        finally:
            abandoned.append(True)
    if engine.stop.missing is not None:
        for batch in batches:
            for question, missing in batch.given_up(engine.stop.missing):
                yield _settled(_Result(batch, question, missing))


def _settled(result: _Result) -> tuple[_Batch, Question, Answer]:
    """An answer that is counted: here, in one thread, so that each question is counted once whatever comes late."""
    if isinstance(result.answer, BaseException):
        raise result.answer
    if not result.kept:
        party = result.batch.party
        party.engine.ledger.settle(party.id, result.answer)
    return result.batch, result.question, result.answer


def _until_stopped(results: _Results, engine: Engine, count: int) -> Iterator[_Result]:
    """So many results, or those that came before the run was stopped."""
    while count:
        if engine.time_left() == 0:
            engine.out_of_time()
        if engine.stop.missing is not None:
            break
        try:
            result = results.get(timeout=engine.time_left())
        except Empty:
            continue
        if result is not None:
            count -= 1
            yield result
    while engine.stop.missing is not None and not results.empty():
        result = results.get()
        if result is not None and isinstance(result.answer, Reply):
            yield result


def _work(batch: _Batch, results: _Results, abandoned: list[bool]) -> None:
    try:
        while not abandoned and (taken := batch.take()) is not None:
            question, key = taken
            answer, kept = _answer(batch.party, key, question)
            results.put(_Result(batch, question, answer, kept))
    except BaseException as error:  # noqa: BLE001 - handed to the caller's thread, which waits for it
        results.put(_Result(batch, batch.questions[0], error))


def _answer(party: Party, key: str, question: Question) -> tuple[Answer, bool]:
    """A kept answer, or that of a call, which is then written down; and whether it was kept."""
    engine = party.engine
    if not party.free and (found := engine.kept_answer(party, key, fresh=question.fresh)) is not None:
        return found, True
    answer = engine.mask.answer(ask(party, question))
    if not party.free:
        engine.ledger.spend(party.id, answer)
    engine.keep(party, key, question, answer)
    return answer, False
