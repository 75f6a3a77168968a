"""The control (A/A): one variant of every case asked again, with nothing swapped.

Which variant, and when, is drawn from the names of suite and case before anything is asked: the same on every run, and
blind to what comes back. The repeats stand among the other questions of their case, so that whatever changes while a
run goes on meets identical and different calls alike.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from fairgate.swap.variants import CasePlan, Variant


def with_control(plans: Sequence[CasePlan], suite: str, repeats: int) -> list[CasePlan]:
    """The plans, with one variant of every case asked ``repeats`` times more, under ids of their own.

    :param suite: name of the suite, part of what the draw comes from
    """
    return [_repeated(plan, suite, repeats) if repeats else plan for plan in plans]


def cell_asked_again(plan: CasePlan) -> int:
    """The index in the grid of the variant that is asked again."""
    return next(number for number, variant in enumerate(plan.grid) if variant.group == plan.control[0].group)


def _repeated(plan: CasePlan, suite: str, repeats: int) -> CasePlan:
    drawn = plan.grid[draw(len(plan.grid), suite, plan.case.id, "variant")]
    numbers = range(1, repeats + 1)
    return replace(
        plan,
        control=tuple(_again(drawn, number) for number in numbers),
        slots=tuple(draw(len(plan.grid) + number, suite, plan.case.id, f"slot {number}") for number in numbers),
    )


def _again(variant: Variant, number: int) -> Variant:
    """``case|axis=level#digest`` asked again is ``case|axis=level|control=1#digest``."""
    name, _, digest = variant.id.rpartition("#")
    return replace(variant, id=f"{name}|control={number}#{digest}")


def draw(size: int, *names: str) -> int:
    """A number from 0 to ``size`` − 1, uniform over names and always the same for one: of 64 bits of a sha256."""
    text = json.dumps(["fairgate control", *names])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") % size
