"""What to try where a suite fails: a sentence from facts, of what was measured and never beyond it."""

from collections.abc import Sequence

from fairgate.results import Arm, SuiteResult
from fairgate.verdict import Verdict
from fairgate.wording import sentence


def suggestion(result: SuiteResult, arms: Sequence[Arm], tail: float) -> str | None:
    """What to try; None where no rule about flips or a gap fails by its numbers.

    Nothing is suggested about flips that identical calls show as well: masking fields does not make a system steadier.


    Before anything was tried: which axis moves most decisions, by which fields, and what can be tried about that.
    After: what measured best of it.

    :param arms: the suite as it is, then what was tried
    :param tail: α, for what is beyond chance
    """
    failed = [rule for rule in result.rules if rule.underlying is Verdict.FAIL and _of_swaps(rule.metric)]
    if not _beyond_noise(result):
        failed = [rule for rule in failed if rule.metric != "flip_rate"]
    if not failed:
        return None
    as_it_is, *tried = arms
    if tried:
        return sentence("swap_tried", tried=tried, best=best(tried), as_it_is=as_it_is, tail=tail)
    moved = {axis.axis: axis.flipped for axis in as_it_is.axes}
    if not any("flip" in rule.metric for rule in failed):
        ruled = {axis for rule in failed for axis in rule.attribute or []}
        moved = {axis: flipped for axis, flipped in moved.items() if axis in ruled} or moved
    most = max(moved.values())
    axes = [axis for axis, flipped in moved.items() if flipped == most]
    listed = result.proxies.fields if result.proxies is not None else []
    carriers = {axis: [one for one in listed if one.axis == axis and one.how == "swapped"] for axis in axes}
    fields = {axis: [one.field for one in found] for axis, found in carriers.items()}
    needed = [one.field for found in carriers.values() for one in found if one.needed]
    mask = [name for found in fields.values() for name in found if name not in needed]
    return sentence(
        "swap_try", axes=axes, fields=fields, flipped=most, cases=result.counts.cases, mask=mask, needed=needed
    )


def best(tried: Sequence[Arm]) -> Arm | None:
    """The mitigation whose flip rate is lowest by the upper end of its interval, with what is missing at its worst.

    None that decides everything alike, for there nothing can flip, and none that nobody answered.
    """
    telling = [arm for arm in tried if not decides_all_alike(arm) and arm.counts.observed]
    return min(telling, key=lambda arm: (arm.interval[1], arm.flipped), default=None)


def decides_all_alike(arm: Arm) -> bool:
    """Whether everybody who got an answer got the same one."""
    return bool(arm.counts.observed) and arm.selected in (0, arm.counts.observed)


def _beyond_noise(result: SuiteResult) -> bool:
    """Whether more changes with the person than with nothing: shown, or not asked."""
    control = result.flips.control if result.flips is not None else None
    return control is None or control.excess_interval[0] > 0


def _of_swaps(metric: str) -> bool:
    return "flip" in metric or "gap" in metric
