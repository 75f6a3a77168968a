"""Somebody who looks on while a run asks."""

from typing import Protocol

from fairgate.models.protocol import Missing, Question, Reply

Answer = Reply | Missing


class Watch(Protocol):
    """Somebody who looks on while a system is asked: a progress bar, or nobody."""

    def start(self, suite: str, total: int) -> None:
        """A suite of so many questions begins to be asked."""

    def on_answer(self, question: Question, answer: Answer) -> None:
        """One answer came."""


class Nobody:
    """Nobody looks on."""

    def start(self, suite: str, total: int) -> None:
        """Nothing to prepare."""

    def on_answer(self, question: Question, answer: Answer) -> None:
        """Nothing to show."""
