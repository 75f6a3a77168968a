"""From an answer to a decision: where it is found, what it says, and whether it refuses to decide.

First something is found in the answer: all of it, what a pattern captures, or what a path finds in its JSON. Then it is
compared with the declared words, or as a number with the cut. Where the answer says two different things, nothing is
read: the first is no better than the last. What a model wrote while thinking (``<think>…</think>`` at the beginning) is
passed over.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from unicodedata import normalize

import jmespath
from jmespath.exceptions import JMESPathError

from fairgate.config.outcome import Outcome, Score
from fairgate.config.section import Where
from fairgate.models.embedded import json_objects, without_thought
from fairgate.models.text import excerpt, whole
from fairgate.swap.grid import Kind, Observation
from fairgate.swap.negation import cut_out, denied
from fairgate.swap.number import is_cut_out, is_percent, json_number, read_number
from fairgate.swap.outcomes import Unreadable, Vocabulary, unreadable, vocabulary
from fairgate.swap.pattern import Found, Pattern, TooSlow

MOST_READ = 200_000
"""Characters of an answer in which something is looked for: a decision in one that is longer is no decision."""

BY_MODEL = ("refused", "content_filter")
"""Reasons of a missing answer that are a refusal by the model itself."""

_THINKING = re.compile(r"\s*<think(?:ing)?>")
"""A thought that never ends is no answer."""

_UNDECIDED = ("unreadable_outcome", "no_match", "no_json", "no_value", "not_a_scalar", "not_a_number")
"""Reasons that leave room for a refusal: the answer was read whole and nothing was decided in it."""


@dataclass(frozen=True)
class Decision:
    """What an answer says.

    :param score: as a float, for the difference of scores; None where the suite has none or the answer refuses
    """

    kind: Kind
    score: float | None = None


Finder = Callable[[str], Sequence[Any] | Unreadable]
"""Everything that an answer has in the place where its decision stands; at least one thing, or why there is none."""

Meaning = Callable[[Any], Decision | str]
"""What one of these things says, or the reason why nothing."""


@dataclass(frozen=True)
class Reader:
    """Reads the answers of one suite.

    :param find: where in an answer its decision stands
    :param means: what it says there
    :param bounded: whether something is looked for in an answer, so that its length has to be bounded
    :param refuses: finds a refusal
    :param by_model: whether the model's own refusal is of the declared class
    :param scale: the lowest and the highest score, where they are declared
    :param line: what of its line stands before the first finding in an answer, and what was found; None where no
        pattern finds words
    """

    words: Vocabulary
    find: Finder
    means: Meaning
    bounded: bool
    refuses: Pattern | None = None
    by_model: bool = False
    scale: tuple[float, float] | None = None
    line: Callable[[str], tuple[str, str] | None] | None = None

    def read(self, answer: str) -> Decision | Unreadable:
        """What was decided in an answer, or why that is not known."""
        text = normalize("NFC", without_thought(answer))
        reason = self._unsuited(text)
        if reason is not None:
            return unreadable(reason, answer)
        try:
            refused, decision = self._refused(text), self._decision(text)
        except TooSlow:
            return unreadable("pattern_timeout", answer)
        if not refused:
            return decision
        return _beside_refusal(decision, answer)

    def _unsuited(self, text: str) -> str | None:
        """Why nothing is looked for in a text, if nothing is."""
        if not text.strip():
            return "empty_answer"
        if self.bounded and len(text) > MOST_READ:
            return "answer_too_long"
        return "unreadable_outcome" if _THINKING.match(text) else None

    def is_refusal(self, reason: str) -> bool:
        """Whether an answer that did not come, for this reason, is a refusal as declared."""
        return self.by_model and reason in BY_MODEL

    @property
    def knows_refusals(self) -> bool:
        """Whether a refusal is declared, in whatever way."""
        return bool(self.words.refusal) or self.refuses is not None or self.by_model

    def _refused(self, text: str) -> bool:
        if self.words.refusal and self.words.kind(text) == "refusal":
            return True
        if self.refuses is None:
            return False
        return self.refuses.is_in(text) or self.refuses.is_in_any(_json_texts(text))

    def _decision(self, text: str) -> Decision | Unreadable:
        found = self.find(text)
        if isinstance(found, Unreadable):
            return found
        meaning = self.means(found[0])
        if any(self.means(other) != meaning for other in found[1:]):
            return unreadable("ambiguous_outcome", text)
        return unreadable(meaning, _shown(found[0], text)) if isinstance(meaning, str) else meaning


def _beside_refusal(decision: Decision | Unreadable, answer: str) -> Decision | Unreadable:
    """What an answer says that refuses, and decides or does not."""
    if isinstance(decision, Unreadable):
        return Decision("refusal") if decision.reason in _UNDECIDED else decision
    return decision if decision.kind == "refusal" else unreadable("ambiguous_outcome", answer)


def reader(outcome: Outcome) -> Reader:
    """The reader that a suite declares.

    :raises OutcomeError: for words, a pattern or a path that cannot be used
    """
    score, refusal = outcome.score, outcome.refusal
    try:
        words = vocabulary(outcome.positive or (), outcome.negative or (), (refusal and refusal.words) or ())
    except ValueError as error:
        raise OutcomeError((), str(error)) from None
    where: Where = () if score is None else ("score",)
    source: Outcome | Score = outcome if score is None else score
    refuses = _pattern(refusal.pattern, ("refusal", "pattern"), captures=False) if refusal and refusal.pattern else None
    if source.path is not None:
        find = _in_json(_path(source.path, (*where, "path")))
    elif source.pattern is not None:
        find = _by_pattern(_pattern(source.pattern, (*where, "pattern")))
    else:
        find = _whole
    return Reader(
        words=words,
        find=find,
        means=_in_words(words) if score is None else _Cut(score, words),
        bounded=find is not _whole or refuses is not None,
        refuses=refuses,
        by_model=bool(refusal and refusal.by_model),
        line=_line(find) if score is None and source.path is None and source.pattern is not None else None,
        scale=None if score is None or score.range is None else (float(score.range[0]), float(score.range[1])),
    )


def decided(observation: Observation, read: Decision | Unreadable) -> Observation:
    """The observation with what was read in its answer. Who was refused was not selected."""
    if isinstance(read, Unreadable):
        return replace(observation, reason=read.reason)
    return replace(observation, outcome=read.kind == "positive", refused=read.kind == "refusal", score=read.score)


class OutcomeError(ValueError):
    """A declared outcome that cannot be used.

    :param where: the place inside ``outcome``
    """

    def __init__(self, where: Where, message: str) -> None:
        super().__init__(message)
        self.where = where


# --- where a decision stands -----------------------------------------------------------------------------------------


def _shown(found: Any, answer: str) -> str:
    """What a person has to see of a thing that could not be read."""
    text = _in_its_line(found) if isinstance(found, Found) else _scalar(found)
    return text if text and text.strip() else answer


def _whole(text: str) -> Sequence[Any]:
    return [Found(text, "", "")]


def _by_pattern(pattern: Pattern) -> Finder:
    def find(text: str) -> Sequence[Any] | Unreadable:
        found = list(dict.fromkeys(pattern.findings(text)))
        return found or unreadable("no_match", text)

    return find


def _line(find: Finder) -> Callable[[str], tuple[str, str] | None]:
    def line(answer: str) -> tuple[str, str] | None:
        try:
            found = find(normalize("NFC", without_thought(answer)))
        except TooSlow:
            return None
        return None if isinstance(found, Unreadable) else (found[0].leading.rpartition("\n")[2], found[0].text)

    return line


def _in_json(path: Any) -> Finder:
    def find(text: str) -> Sequence[Any] | Unreadable:
        values = json_objects(text)
        if not values:
            return unreadable("no_json", text)
        try:
            found = [one for one in map(path.search, values) if one is not None]
            # A decision that is said to be none, beside one, is another answer and not no answer.
            contradicted = found and any(path.search(one) is None and _says_nothing(path, one) for one in values)
        except (JMESPathError, RecursionError, ArithmeticError, ValueError, TypeError):
            return unreadable("no_value", text)  # the answer does not fit the expression: a text where it adds numbers
        if contradicted:
            return unreadable("ambiguous_outcome", text)
        return found or unreadable("no_value", text)

    return find


def _says_nothing(path: Any, value: Any) -> bool:
    """Whether there is a ``null`` where a path that finds nothing looks, and not just no such place."""
    return path.search(_without_null(value)) is not None


def _without_null(value: Any) -> Any:
    """JSON with a text in place of every ``null``."""
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_null(item) for item in value]
    return "null" if value is None else value


def _pattern(text: str, where: Where, *, captures: bool = True) -> Pattern:
    try:
        return Pattern(normalize("NFC", text), captures=captures)
    except ValueError as error:
        raise OutcomeError(where, str(error)) from None


def _path(text: str, where: Where) -> Any:
    try:
        return jmespath.compile(text)
    except JMESPathError as error:
        raise OutcomeError(where, f"'{excerpt(text, 80)}' is no JMESPath expression: {excerpt(str(error))}") from None
    except RecursionError:
        raise OutcomeError(where, f"'{excerpt(text, 80)}' is nested too deeply for a JMESPath expression") from None


# --- what it says ----------------------------------------------------------------------------------------------------


def _in_words(words: Vocabulary) -> Meaning:
    def means(found: Any) -> Decision | str:
        text = found.text if isinstance(found, Found) else _scalar(found)
        if text is None:
            return "not_a_scalar"
        kind = words.kind(text)
        if kind is None:
            return "unreadable_outcome"
        return (isinstance(found, Found) and _cut_from(found)) or Decision(kind)

    return means


def _cut_from(found: Found) -> str | None:
    """Why a declared word means nothing where it was found, if so: it is denied there, or part of another word."""
    if denied(found.leading, found.after):
        return "negated_outcome"
    return "part_of_a_word" if cut_out(found.leading, found.text, found.after) else None


def _in_its_line(found: Found) -> str:
    """What was found; where it means nothing because of what stands around it, with that."""
    if not _cut_from(found):
        return found.text
    line = found.leading.rpartition("\n")[2]
    return f"{line}{found.text}{found.after}"


def _json_texts(text: str) -> Iterator[str]:
    r"""Every text in the JSON of an answer as it is meant: in ``Kh\u00f4ng`` no pattern finds Không."""
    waiting: list[Any] = json_objects(text)
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield normalize("NFC", value)
        elif isinstance(value, dict | list):
            waiting.extend(value.values() if isinstance(value, dict) else value)


def _scalar(value: Any) -> str | None:
    """A JSON scalar as the text that JSON writes; None for a list or an object."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return whole(str(value)) if isinstance(value, str | int | float) else None


@dataclass(frozen=True)
class _Cut:
    """A number, beside the cut."""

    score: Score
    words: Vocabulary

    def __call__(self, found: Any) -> Decision | str:
        number = self._number(found)
        if isinstance(number, Decision | str):
            return number
        if self.score.range is not None and not self.score.range[0] <= number <= self.score.range[1]:
            return "out_of_range"
        if self.score.positive_from is not None:
            positive = number >= self.score.positive_from
        else:
            positive = self.score.positive_up_to is not None and number <= self.score.positive_up_to
        return Decision("positive" if positive else "negative", float(number))

    def _number(self, found: Any) -> Decimal | Decision | str:
        if isinstance(found, Found):
            text = found.text
            cut = is_cut_out(found.before, found.after) or denied(found.leading, found.after)
            text += "%" if is_percent(found.after) else ""
        elif isinstance(found, str):
            text, cut = whole(found), False
        else:
            number = json_number(found)
            return ("not_a_scalar" if isinstance(found, dict | list) else "not_a_number") if number is None else number
        if self.words.kind(text) == "refusal":
            return Decision("refusal")
        number = None if cut else read_number(text, self._mark, percent=self._percent)
        return "not_a_number" if number is None else number

    @property
    def _mark(self) -> str:
        return "," if self.score.decimal == "comma" else "."

    @property
    def _percent(self) -> bool:
        """Whether the scores are per cent: on a scale from 0 to 100 a per cent sign is their unit."""
        return self.score.range is not None and [*map(float, self.score.range)] == [0, 100]
