"""Two configurations, the base's and the head's: every way in which the second asks less than the first."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from pydantic import BaseModel, JsonValue

from fairgate.bar.findings import Change, Code
from fairgate.bar.policy import Policy, policy_of
from fairgate.config.model import Config, FairnessSuite, HarnessSuite, RagSuite, Section
from fairgate.config.stakes import decider, decider_key
from fairgate.wording import sentence

Suite = Any
"""Any of the four kinds of suite."""


@dataclass(frozen=True)
class Difference:
    """One difference that lowers the bar or may do so, before it is put into words."""

    code: Code
    key: str
    old: Any = None
    new: Any = None

    def under(self, prefix: str) -> "Difference":
        """The same, seen from the part around it."""
        return replace(self, key=f"{prefix}.{self.key}" if self.key else prefix)


def lowered(old: Config, new: Config) -> list[Change]:
    """Every way in which ``new`` lowers the bar of ``old``, or may: of the run, then suite by suite.

    Whatever only asks for more (a lower limit, one more rule, group or case) is not named. What cannot be told to be
    one or the other is named as changed, for a person to look at.
    """
    changes = [change_of(found) for found in _parts(old, new)]
    suites = suites_of(new)
    for name, suite in suites_of(old).items():
        if name not in suites:
            changes.append(change_of(Difference("removed", f"suite {name}", name)))
        else:
            changes += _suite_changes(suite, suites[name], old, new)
    return changes


def suites_of(config: Config) -> dict[str, Suite]:
    """Every suite by its name, which is unique in a file."""
    return {suite.name: suite for suite in (*config.swap, *config.fairness, *config.rag)}


def change_of(found: Difference, suite: str | None = None, rule: str | None = None, **about: Any) -> Change:
    """A difference in words.

    :param about: ``cases`` and ``count``, where it is about cases
    """
    facts = {"code": found.code, "key": found.key, "suite": suite, "rule": rule, "cases": (), "count": 0, **about}
    old, new = _texts(found.old, found.new)
    message = sentence("bar_change", old=old, new=new, more=_more(found), **facts)
    plain: dict[str, JsonValue] = {"old": _plain(found.old), "new": _plain(found.new)}
    return Change(code=found.code, suite=suite, rule=rule, key=found.key, message=message, **plain, **about)


# --- suites, rules, judges -------------------------------------------------------------------------------------------


def _suite_changes(old: Suite, new: Suite, base: Config, head: Config) -> Iterator[Change]:
    name = new.name
    if type(old) is not type(new):
        yield change_of(Difference("changed", "kind", _kind(old), _kind(new)), name)
    else:
        apart = (*_asked(old, new, base, head), *_decides(old, new, base, head), *_judges(old, new, base, head))
        for found in (*_parts(old, new), *apart):
            yield change_of(found, name)
    rules = {rule.id: rule for rule in _rules(new)}
    for rule in _rules(old):
        if rule.id not in rules:
            yield change_of(Difference("removed", f"rules[{rule.id}]", _limit(rule)), name, rule.id)
        elif type(rule) is not type(rules[rule.id]):
            kinds = Difference("changed", f"rules[{rule.id}]", _limit(rule), _limit(rules[rule.id]))
            yield change_of(kinds, name, rule.id)
        else:
            for found in _parts(rule, rules[rule.id]):
                yield change_of(found.under(f"rules[{rule.id}]"), name, rule.id)


def _rules(suite: Suite) -> list[Any]:
    """Every rule that the file has under ``rules``, whatever the model calls the field."""
    fields = type(suite).model_fields
    rules: list[Any] = getattr(suite, next(key for key, one in fields.items() if "rules" in (key, one.alias)))
    return rules


def _asked(old: Suite, new: Suite, base: Config, head: Config) -> Iterator[Difference]:
    """Another kind of system: what is behind it is under test, but recorded answers in its place test nothing new."""
    name = getattr(new, "system", None)
    if name is not None and name == getattr(old, "system", None):
        before, after = base.systems[name].type, head.systems[name].type
        if before != after:
            yield Difference("changed", f"systems.{name}.type", before, after)


def _decides(old: Suite, new: Suite, base: Config, head: Config) -> Iterator[Difference]:
    """The system decided by itself, and is said not to do so any more: a person has to know whether that is so."""
    before, after = decider(old, base), decider(new, head)
    if before == "automatic" != after:
        yield Difference("changed", decider_key(new), before, after)


def _judges(old: Suite, new: Suite, base: Config, head: Config) -> Iterator[Difference]:
    """Judges of the same name that are somebody else now."""
    if not isinstance(new, RagSuite):
        return
    for name in sorted({*new.judge_names, *_of_profiles(head)} & {*old.judge_names, *_of_profiles(base)}):
        if name in base.judges and name in head.judges:
            for found in _values(base.judges[name], head.judges[name], Policy.NESTED):
                yield found.under(f"judges.{name}")


def _of_profiles(config: Config) -> set[str]:
    """Judges that only profiles name, in place of a suite's own."""
    return {
        name
        for profile in config.profiles.values()
        for name in (profile.judge, *(profile.panel or ()))
        if name is not None
    }


def _kind(suite: Suite) -> str:
    if isinstance(suite, HarnessSuite):
        return "swap"
    return "fairness" if isinstance(suite, FairnessSuite) else "rag" if isinstance(suite, RagSuite) else "decisions"


def _limit(rule: Section) -> dict[str, Any]:
    """What a rule demanded: everything that it said about its limit."""
    said = rule.model_dump(mode="json", exclude_defaults=True)
    return {key: value for key, value in said.items() if key not in ("id", "decided_by", "why")}


# --- key by key ------------------------------------------------------------------------------------------------------


def _parts(old: Section, new: Section) -> Iterator[Difference]:
    """Two parts of the same kind, key by key."""
    for key in type(new).model_fields:
        # Equal mappings too: the order of their entries may differ.
        found = _values(getattr(old, key), getattr(new, key), policy_of(type(new), key))
        yield from (one.under(key) for one in found)


def _values(old: Any, new: Any, policy: Policy) -> Iterator[Difference]:
    """Two values of a key; keys of what is found are relative to it."""
    match policy:
        case Policy.HARMLESS | Policy.APART:
            pass
        case Policy.RAISED | Policy.DROPPED:
            yield from _limits(old, new, upwards=policy is Policy.RAISED)
        case Policy.SWITCHED_OFF | Policy.SWITCHED_ON:
            if bool(old) is not bool(new) and bool(new) is (policy is Policy.SWITCHED_ON):
                yield Difference("relaxed", "", old, new)
        case Policy.SHRUNK:
            yield from _entries(old, new)
        case Policy.ORDERED:
            yield from _ordered(old, new)
        case Policy.NESTED if old is None or new is None:
            yield from [Difference("removed", "", old)] if old is not None else ()
        case Policy.NESTED if type(old) is type(new):
            yield from _parts(old, new)
        case _ if old != new:
            yield Difference("changed", "", old, new)


def _limits(old: float | None, new: float | None, *, upwards: bool) -> list[Difference]:
    """A limit that was raised (``upwards``) or lowered; one that is new asks for more, one that is gone for nothing."""
    if old is None:
        return []
    if new is None:
        return [Difference("removed", "", old)]
    return [Difference("relaxed", "", old, new)] if (new > old if upwards else new < old) else []


def _entries(old: Any, new: Any) -> Iterator[Difference]:
    """What is gone from a mapping or a list, and what changed below the keys of a mapping."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for key, value in old.items():
            if key not in new:
                yield Difference("removed", key)
            else:
                yield from (found.under(key) for found in _entries(value, new[key]))
    elif _is_names(old) and _is_names(new):
        yield from (Difference("removed", str(name), name) for name in old if name not in new)
    elif isinstance(old, Sequence) and isinstance(new, Sequence | None):
        yield from (Difference("removed", "", item) for item in old if item not in (new or ()))
    elif old is not None and old != new:
        yield Difference("changed", "", old, new)


def _ordered(old: Any, new: Any) -> Iterator[Difference]:
    """Whatever was asked of a suite with axes has to be asked still: axis by axis, level by level, person by person.

    New axes, and new levels of an axis, ask for more when they stand at the end. The first level is the reference, and
    the people of an axis take turns counted by the axes before it: in another order other questions are asked. People
    are paired by position, and every further one leaves fewer cases to those who were there: no change of a level's
    people can be told to be harmless.
    """
    if isinstance(old, Mapping):
        kept = [key for key in old if key in new]
        yield from (Difference("removed", key) for key in old if key not in new)
        if list(new)[: len(kept)] != kept:
            yield Difference("changed", "", list(old), list(new))
        for key in kept:
            yield from (found.under(key) for found in _ordered(old[key], new[key]))
    elif old != new:
        apart = [pair for pair in zip_longest(old, new) if pair[0] != pair[1]]
        before, after = ([person for person in people if person is not None] for people in zip(*apart, strict=True))
        yield Difference("changed", "", before, after)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


# --- for people ------------------------------------------------------------------------------------------------------


def _more(found: Difference) -> bool:
    """Whether the number became larger."""
    numbers = all(isinstance(value, int | float) for value in (found.old, found.new))
    return numbers and found.new > found.old


def _texts(old: Any, new: Any) -> tuple[str, str]:
    """Two values as a person compares them: fractions with as many digits as the longer of them, at least two."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in (old, new)):
        digits = max(len(f"{value:.10f}".rstrip("0").partition(".")[2]) for value in (old, new))
        digits = max(digits, 2) if digits else 0
        return f"{old:.{digits}f}", f"{new:.{digits}f}"
    return _text(old), _text(new)


def _text(value: Any) -> str:
    plain = _plain(value)
    if isinstance(plain, dict):
        return ", ".join(f"{key} {_text(item)}" for key, item in plain.items()) or "nothing"
    if isinstance(plain, list):
        return ", ".join(map(_text, plain)) or "nothing"
    words = {None: "nothing", True: "true", False: "false"}
    return words[plain] if plain is None or isinstance(plain, bool) else str(plain)


def _plain(value: Any) -> JsonValue:
    """Whatever a key may hold, as JSON: parts of the configuration without their defaults, at any depth."""
    if isinstance(value, BaseModel):
        return _plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, str | int | float):
        return value
    return str(value)
