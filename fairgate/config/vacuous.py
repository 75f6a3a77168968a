"""Limits that nothing can ever break: a rule that looks like a bar and is none."""

from collections.abc import Iterator, Mapping

from fairgate.config.rule import Rule
from fairgate.config.section import Section, Where

NEVER_BROKEN: Mapping[str, float] = {
    "max_flip_rate": 1,
    "max_excess_flip_rate": 1,
    "max_group_gap": 1,
    "max_refusal_gap": 1,
    "min": 0,
    "max": 1,
    "pass_rate": 0,
    "max_regression": 1,
}
"""Key of a limit: the value at which every rate is within it."""


def limits_that_bind_nothing(rule: Rule) -> Iterator[tuple[Where, str]]:
    """Where in a rule such a limit stands, and one sentence about it."""
    yield from _within(rule, (), f"rule {rule.id}: ")


def _within(part: Section, where: Where, prefix: str) -> Iterator[tuple[Where, str]]:
    for key, value in part:
        if isinstance(value, Section):
            yield from _within(value, (*where, key), prefix)
        elif key in NEVER_BROKEN and value == NEVER_BROKEN[key]:
            yield (*where, key), f"{prefix}{key}: {value:g} holds whatever happens; a limit that can be broken is meant"
