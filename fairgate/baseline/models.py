"""Models that are not what they were: the same name in the configuration, another model behind it."""

from collections.abc import Iterator, Sequence

from fairgate.report import Account, Report
from fairgate.results import Remark
from fairgate.wording import sentence


def other_models(before: Report, now: Sequence[Account]) -> Iterator[Remark]:
    """A remark for everybody whose server reports another model, or another version of it, than in the baseline.

    Where one of the two reported nothing, nothing is known and nothing is said.
    """
    earlier = {(account.role, account.name): account for account in before.evidence.models}
    for account in now:
        was = earlier.get((account.role, account.name))
        if was is None:
            continue
        for what in ("models", "fingerprints"):
            old, new = getattr(was, what), getattr(account, what)
            if old and new and set(old) != set(new):
                facts = {"what": what, "name": account.name, "role": account.role, "old": old, "new": new}
                yield Remark(code="other_model", message=sentence("baseline_other_model", **facts))
