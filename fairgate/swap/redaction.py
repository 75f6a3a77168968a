"""``redact``: values of a case that are never written down where others may read them.

Everything that a run tells about an observation goes through here before anything is made of it: examples, lists of
spellings, evidence. Outcomes are read before, and ids and digests are of the case as it was asked, so nothing that is
decided or compared changes.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from unicodedata import normalize

from fairgate.swap.grid import Observation
from fairgate.swap.outcomes import Vocabulary
from fairgate.swap.respelled import Hidden
from fairgate.swap.variants import CasePlan

GONE = "[redacted]"
_NUMBERED = re.compile(r"\[redacted \d+\]")


def is_redacted(value: Any) -> bool:
    """Whether a field shows that its value is not shown."""
    return isinstance(value, str) and _NUMBERED.fullmatch(value) is not None


@dataclass(frozen=True)
class Redaction:
    """What has to be taken out of everything that is told about one case.

    :param values: field to its different values in the variants of the case, in their order
    """

    values: Mapping[str, list[Any]]

    @classmethod
    def of_case(cls, names: Collection[str], case: CasePlan) -> "Redaction":
        """The values of the fields called ``names`` in everything that is known of a case: what its variants say, what
        they said before something was masked, and what the case says itself in the place of a level."""
        own = {name: value for name, value in case.case.fields.items() if name in case.grid[0].differs}
        # What stands in place of a masked field is said in the configuration, and the same for everybody.
        asked = (
            {name: value for name, value in variant.fields.items() if value != case.mask.get(name)}
            for variant in case.variants
        )
        return cls.of(names, [*(variant.fields for variant in case.unmasked), *asked, own])

    @classmethod
    def of(cls, names: Collection[str], variants: Iterable[Mapping[str, Any]]) -> "Redaction":
        """The values of the fields called ``names`` in the variants of a case."""
        values: dict[str, list[Any]] = {name: [] for name in names}
        for fields in variants:
            for name in names:
                if name in fields and fields[name] not in values[name]:
                    values[name].append(fields[name])
        return cls(values)

    def fields(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Fields with a number in place of each value: equal numbers in a case are equal values."""
        return {
            name: f"[redacted {self.values[name].index(value) + 1}]" if value in self.values.get(name, ()) else value
            for name, value in fields.items()
        }

    def text(self, text: str) -> str:
        """A text without the values and their parts, however they are spelled (``respelled``)."""
        composed = normalize("NFC", text)
        spans = self._hidden.spans(composed)
        if not spans:
            return text
        ends = [0, *(end for _, end in spans)]
        kept = [composed[end:start] for end, (start, _) in zip(ends, spans, strict=False)]
        return GONE.join([*kept, composed[ends[-1] :]])

    def everything(self, value: Any) -> Any:
        """JSON without the values, all the way down; keys stay."""
        if isinstance(value, Mapping):
            return {key: self.everything(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.everything(item) for item in value]
        return self.text(value) if isinstance(value, str) else self._number(value)

    def _number(self, value: Any) -> Any:
        return GONE if any(value == one and type(value) is type(one) for one in self._leaves) else value

    @cached_property
    def _leaves(self) -> list[Any]:
        return [leaf for values in self.values.values() for value in values for leaf in _leaves(value)]

    @cached_property
    def _hidden(self) -> Hidden:
        return Hidden.of(self._leaves)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _leaves(item)
    elif value is not None and not isinstance(value, bool) and str(value).strip():
        yield value


# --- observations ----------------------------------------------------------------------------------------------------


def redacted(observation: Observation, redaction: Redaction, words: Vocabulary) -> Observation:
    """An observation as others may read it. An answer that is a declared word says nothing about anybody and stays."""
    return replace(
        observation,
        fields=redaction.fields(observation.fields),
        answer=_answer(observation.answer, redaction, words),
        detail=None if observation.detail is None else redaction.text(observation.detail),
    )


def _answer(answer: str | None, redaction: Redaction, words: Vocabulary) -> str | None:
    if answer is None or words.kind(answer) is not None:
        return answer
    return redaction.text(answer)


def redacted_change(change: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """A change under ``must_respond_to`` that does not show the values of these fields."""
    return {name: GONE if name in names else value for name, value in change.items()}
