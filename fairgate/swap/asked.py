"""What would be asked, compared before it is: axes that change nothing in it, differences that no field explains."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import ceil
from typing import Any

from fairgate.config.model import HarnessSuite
from fairgate.config.section import Where
from fairgate.models.protocol import Question, System
from fairgate.results import Finding
from fairgate.swap.declared import Undeclared, as_one, as_other, undeclared_difference
from fairgate.swap.redaction import GONE, Redaction
from fairgate.swap.rendered import Comparer
from fairgate.swap.variants import CasePlan, Variant
from fairgate.wording import sentence

MOST_COMPARED = 200
"""Cases of which every word that is asked is compared: a prompt that tells people apart does so in all or in many."""


def asked_alike(plans: Sequence[CasePlan], suite: HarnessSuite, system: System, where: Where) -> list[Finding]:
    """Axes and changes that change nothing in what the system is asked: they would pass without having tested it; and
    the first case in which something else changes than the fields of the levels, among at most ``MOST_COMPARED`` that
    are evenly spread.

    A recorded system cannot tell what was asked, and is not found out.
    """
    cases: dict[tuple[str, ...] | int, list[str]] = defaultdict(list)
    beyond: Undeclared | None = None
    comparer, every = Comparer(), ceil(len(plans) / MOST_COMPARED)
    for number, case in enumerate(plans):
        requests = [request_for(system, variant) for variant in (*case.grid, *case.changed)]
        asked = [json.dumps(request, sort_keys=True, default=str) for request in requests]
        if beyond is None and number % every == 0:
            beyond = undeclared_difference(case, requests, partial(request_for, system), comparer)
            beyond = beyond and _told(beyond, case, suite)
        for axes in _swaps_unseen(case.grid, asked):
            cases[axes].append(case.case.id)
        for variant, request in zip(case.changed, asked[len(case.grid) :], strict=True):
            if request == asked[0] and variant.change is not None:
                cases[variant.change].append(case.case.id)
    unseen = [_unseen(what, ids, len(plans), suite, where) for what, ids in cases.items()]
    return unseen if beyond is None else [*unseen, _undeclared(beyond, suite, where)]


def request_for(system: System, variant: Variant) -> Any:
    """What would be asked about a variant; under the case's id, so that ids make no difference."""
    return system.request(Question(variant.case, variant.fields))


def _told(found: Undeclared, case: CasePlan, suite: HarnessSuite) -> Undeclared:
    """The difference without what the suite redacts: a message ends in the comment."""
    if not suite.redact:
        return found
    redaction = Redaction.of_case(suite.redact, case)
    told = redaction.text(found.difference)
    # Read as either variant has it: a name in which a mark stands is seen by nobody but a person.
    if any(redaction.text(read) != read for read in (as_one(told), as_other(told))):
        told = GONE
    return replace(found, difference=told)


def _undeclared(found: Undeclared, suite: HarnessSuite, where: Where) -> Finding:
    message = sentence("swap_differs_beyond", found=found, system=suite.system)
    return Finding(severity="error", where=(*where, "axes", found.axes[0]), message=message)


def _swaps_unseen(grid: Sequence[Variant], asked: Sequence[str]) -> list[tuple[str, ...]]:
    """The axes in which variants that ask the same differ, each set of axes once, the smallest sets only."""
    same: dict[str, list[Variant]] = defaultdict(list)
    for variant, request in zip(grid, asked, strict=False):
        same[request].append(variant)
    apart = {
        tuple(axis for axis in one.group if one.group[axis] != other.group[axis])
        for variants in same.values()
        for one, other in combinations(variants, 2)
    }
    fewest = min(map(len, apart), default=0)
    return sorted(axes for axes in apart if len(axes) == fewest)


def _unseen(what: tuple[str, ...] | int, ids: Sequence[str], cases: int, suite: HarnessSuite, where: Where) -> Finding:
    axes = () if isinstance(what, int) else what
    if isinstance(what, int):
        place: Where = (*where, "must_respond_to", what)
        fields = list(suite.must_respond_to[what])
    else:
        place = (*where, "axes", what[0])
        fields = [name for axis in axes for name in next(iter(suite.axes[axis].values()))[0]]
    message = sentence(
        "swap_asks_alike",
        change=what if isinstance(what, int) else None,
        axes=axes, fields=fields, alike=len(ids), cases=cases, first=ids[0], system=suite.system,
    )  # fmt: skip
    return Finding(severity="error", where=place, message=message)
