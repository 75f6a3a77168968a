"""Whether a suite could have seen anything: the one test that its own rules and those over a change go by."""

from collections.abc import Collection, Iterable

POSITIVE = "positive"


def blind(kinds: Iterable[str], responded: Collection[int], *, selection: bool = False) -> list[str]:
    """What keeps a suite from seeing a flip, by codes; a PASS over it is for a person to confirm.

    ``one_sided_suite``: no two observed outcomes of the whole suite differ. ``no_response``: some change that ought to
    move the decision moved it nowhere. Both only come closer when an outcome is hidden.

    :param kinds: of every outcome that was observed, those of changed cases included: positive, negative, refusal
    :param responded: for every change under ``must_respond_to``, the pairs that were decided differently
    :param selection: whether it is about who is selected, so that to be refused is the same as a negative decision
    """
    seen = {kind == POSITIVE if selection else kind for kind in kinds}
    codes = {"one_sided_suite": len(seen) < 2, "no_response": not all(responded)}
    return [code for code, holds in codes.items() if holds]
