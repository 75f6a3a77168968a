"""The small interface between a judge and the server that its model runs on."""

from dataclasses import dataclass
from typing import Any, Protocol

from fairgate.judges.prompts import Ask
from fairgate.models.protocol import CallFailed, Reply


@dataclass(frozen=True)
class Completion:
    """What a model answered; ``truncated`` when the limit on tokens cut it off."""

    reply: Reply
    truncated: bool


class Wire(Protocol):
    """How one kind of server is asked."""

    def body(self, ask: Ask) -> dict[str, Any]:
        """What would be sent."""
        ...

    def complete(self, ask: Ask) -> Completion:
        """Ask once; raises CallFailed."""
        ...

    def describe(self) -> dict[str, Any]:
        """Type, model, family, address and the parameters that the server refused. Never a secret."""
        ...

    def close(self) -> None:
        """Give the connections back."""
        ...


def refused(where: str, words: str = "") -> CallFailed:
    """The failure of a model that does not want to judge: asking again changes nothing."""
    return CallFailed("judge_refused", f"{where}: the model refused to judge{': ' if words else ''}{words}")
