"""What calls took in an earlier run, as its ``report.json`` says: better than any assumption."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairgate.errors import InputError
from fairgate.report import SCHEMA


@dataclass(frozen=True)
class Taken:
    """Of one call, on average; None where the report does not say.

    :param seconds: from asking to the answer, or, ``shared``, of the whole run over its calls
    :param shared: calls were in flight together, so the concurrency is in the seconds already
    """

    prompt: float | None
    completion: float | None
    seconds: float | None
    shared: bool


@dataclass(frozen=True)
class Measured:
    """An earlier run.

    :param run: of all its calls together
    :param parties: (kind, name) to its own, where the report accounts for everybody
    """

    run: Taken | None
    parties: dict[tuple[str, str], Taken]

    def of(self, kind: str, name: str) -> Taken | None:
        """What a call to somebody took; where the report does not tell them apart, what any call took."""
        return self.parties.get((kind, name), self.run)


NOTHING = Measured(None, {})


def read_measured(path: Path) -> Measured:
    """Read an earlier ``report.json``.

    :raises InputError: the file cannot be read or is no report
    """
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        evidence = dict(report["evidence"])
        known = report["schema"] == SCHEMA
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: cannot be read as a report.json: {error}; name one that a run wrote") from None
    if not known:
        raise InputError(f"{path}: found the schema {report['schema']!r}, expected {SCHEMA}")
    accounts = [account for account in evidence.get("models") or [] if isinstance(account, dict)]
    parties = {(str(one.get("role")), str(one.get("name"))): taken for one in accounts if (taken := _taken(one))}
    return Measured(_taken(evidence, shared=True), parties)


def _taken(account: dict[str, Any], *, shared: bool = False) -> Taken | None:
    calls = account.get("calls")
    if not isinstance(calls, int) or calls < 1:
        return None
    said = account.get("tokens") or {}
    return Taken(_each(said.get("prompt"), calls), _each(said.get("completion"), calls),
                 _each(account.get("seconds"), calls), shared)  # fmt: skip


def _each(total: Any, calls: int) -> float | None:
    return total / calls if isinstance(total, int | float) and not isinstance(total, bool) else None
