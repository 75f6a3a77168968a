"""``fairgate status``: every suite with its fingerprint, its last verdict and what has changed since."""

import json
from collections.abc import Sequence

from fairgate.bar.reuse import Standing
from fairgate.render import escape, phrases
from fairgate.verdict import Verdict
from fairgate.wording import sentence

_SHOWN = 16


def as_text(found: Sequence[Standing]) -> str:
    """A line for each suite."""
    return "".join(f"{escape.log_line(_line(one))}\n" for one in found)


def as_json(found: Sequence[Standing]) -> str:
    """The same as a JSON list; ages in seconds."""
    listed = [
        {
            "suite": one.suite,
            "fingerprint": one.fingerprint,
            "state": one.state,
            "verdict": one.verdict,
            "age_seconds": None if one.age is None else int(one.age.total_seconds()),
            "commit": one.commit,
            "changed": list(one.changed),
            "waits": list(one.waits),
        }
        for one in found
    ]
    return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"


def _line(one: Standing) -> str:
    verdict = phrases.word(Verdict(one.verdict)) if one.verdict else ""
    days = one.age.days if one.age is not None else 0
    return f"{one.fingerprint[:_SHOWN]}  {one.suite}: {sentence('bar_status', one=one, verdict=verdict, days=days)}"
