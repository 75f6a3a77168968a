"""Proxies: every field of a case that can carry what an axis swaps, for the client to say which the decision needs.

- ``swapped``: an axis fills it, so it carries the attribute by construction.
- ``filled``: a text with a placeholder that an axis fills.
- ``declared``: the configuration says so.
- ``predicts``: found. Where the golden cases have a value of their own in a field that an axis fills, before the swap
  puts another there, that value is the level of the case; every other field is measured by how well it tells it
  (``fairgate.stats.prediction``), with Holm's correction over all fields and axes of the suite.
- ``may_carry``: found by its name or by what stands in it (``fairgate.swap.carriers``): a guess.

Within a suite nothing else than the swapped fields can tell the levels apart: that is what a swap is. But where people
really differ in the other fields too, a system that decides by those decides by the attribute.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairgate.config.model import HarnessSuite
from fairgate.config.project import Project
from fairgate.config.section import Where
from fairgate.config.values import nfc
from fairgate.golden.cases import Case
from fairgate.results import Carrier, Proxies, ProxyMeasure
from fairgate.stats.holm import adjusted
from fairgate.swap.carriers import kind_of
from fairgate.swap.features import features
from fairgate.swap.masking import unknown_fields
from fairgate.swap.variants import Axes, CasePlan, placeholders

if TYPE_CHECKING:
    from fairgate.stats.prediction import Prediction

FEWEST = 20
"""Cases with a level of their own from which on it is measured what tells it."""

MOST = 2_000
"""Cases that are measured, evenly spread over all of them."""


def proxies(suite: HarnessSuite, cases: Sequence[Case], tail: float) -> Proxies:
    """Every field of a suite that can carry what its axes swap.

    :param tail: α of the claim that a field predicts a level, over all fields and axes together
    """
    filled = {name: axis for axis, levels in suite.axes.items() for people in levels.values() for name in people[0]}
    fields = [name for name in dict.fromkeys(name for case in cases for name in case.fields) if name not in filled]
    known = {axis: own_levels(axis, suite.axes, cases) for axis in suite.axes}
    measured = _measured(known, fields, cases)
    found = [Carrier(field=name, axis=axis, how="swapped") for name, axis in filled.items()]
    found += [Carrier(field=name, axis=axis, how="filled") for name, axis in _holding(fields, filled, cases)]
    for axis in suite.axes:
        for name in fields:
            told = measured.get((axis, name))
            declared = name in suite.proxies.get(axis, ())
            predicts = told is not None and told.p <= tail and told.right > told.without
            if declared or predicts:
                found.append(_carrier(name, axis, "declared" if declared else "predicts", told))
    listed = {one.field for one in found if one.how != "filled"}
    for name in fields:
        kind = kind_of(name, [case.fields.get(name) for case in cases])
        if kind is not None and name not in listed:
            found.append(Carrier(field=name, how="may_carry", kind=kind))
    return Proxies(
        fields=[_answered(one, suite.needed or {}) for one in found],
        measured=[_measure(axis, levels, len(cases), measured) for axis, levels in known.items()],
    )


def check_fields(suite: HarnessSuite, plans: Sequence[CasePlan], project: Project, where: Where) -> None:
    """Refuse fields that are declared and that no case has.

    :raises ConfigError: there is one
    """
    for name, message in unknown_fields(suite.needed or {}, plans):
        raise project.error((*where, "needed"), f"{name}: {message}")
    for axis, declared in suite.proxies.items():
        for name, message in unknown_fields(declared, plans):
            raise project.error((*where, "proxies", axis, declared.index(name)), message)


def _holding(fields: Sequence[str], filled: Mapping[str, str], cases: Sequence[Case]) -> list[tuple[str, str]]:
    """Fields in whose texts an axis fills a placeholder, each with the axis."""
    found = {
        (name, filled[placeholder])
        for case in cases
        for name in fields
        for placeholder in placeholders(case.fields.get(name))
        if placeholder in filled
    }
    return sorted(found, key=lambda one: (list(filled.values()).index(one[1]), fields.index(one[0])))


def own_levels(axis: str, axes: Axes, cases: Sequence[Case]) -> list[str | None]:
    """The level of an axis that each case has of its own, before the swap sets another; None where it has none.

    A field of the case that an axis fills says the level where its value stands with people of that level alone.
    """
    level_of: dict[tuple[str, str], set[str]] = {}
    for level, people in axes[axis].items():
        for person in people:
            for name, text in person.items():
                level_of.setdefault((name, nfc(text).casefold()), set()).add(level)
    return [_own_level(case.fields, level_of) for case in cases]


def _own_level(fields: Mapping[str, Any], level_of: Mapping[tuple[str, str], set[str]]) -> str | None:
    said = {
        next(iter(levels))
        for name, value in fields.items()
        if len(levels := level_of.get((name, nfc(str(value)).strip().casefold()), set())) == 1
    }
    return next(iter(said)) if len(said) == 1 else None


def _measured(
    known: Mapping[str, Sequence[str | None]], fields: Sequence[str], cases: Sequence[Case]
) -> dict[tuple[str, str], "Prediction"]:
    from fairgate.stats.prediction import Prediction, predict  # noqa: PLC0415 - scipy.sparse, only where it is used

    found: dict[tuple[str, str], Prediction] = {}
    for axis, levels in known.items():
        of_own = [(case, level) for case, level in zip(cases, levels, strict=True) if level is not None]
        of_own = of_own[:: max(1, -(-len(of_own) // MOST))]
        names = [level for _, level in of_own]
        if len(of_own) < FEWEST or len(set(names)) < 2:
            continue
        for field in fields:
            found[axis, field] = predict(features([case.fields.get(field) for case, _ in of_own]), names)
    corrected = adjusted([one.p for one in found.values()])
    return {
        key: Prediction(one.cases, one.right, one.without, p)
        for (key, one), p in zip(found.items(), corrected, strict=True)
    }


def _carrier(field: str, axis: str, how: str, told: "Prediction | None") -> Carrier:
    measured = {} if told is None else {"cases": told.cases, "right": told.right, "without": told.without, "p": told.p}
    return Carrier.model_validate({"field": field, "axis": axis, "how": how, **measured})


def _answered(one: Carrier, needed: Mapping[str, str]) -> Carrier:
    if one.field not in needed:
        return one
    return one.model_copy(update={"needed": True, "why": needed[one.field] or None})


def _measure(
    axis: str, levels: Sequence[str | None], cases: int, measured: Mapping[tuple[str, str], "Prediction"]
) -> ProxyMeasure:
    found = [told.cases for (of, _), told in measured.items() if of == axis]
    own = Counter(level for level in levels if level is not None)
    return ProxyMeasure(
        axis=axis, cases=cases, known=own.total(), used=max(found, default=0), fields=len(found), levels=dict(own)
    )
