"""Who decides in a suite: its system says so, or the suite itself where the decisions were made elsewhere."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from fairgate.config.section import Problem

if TYPE_CHECKING:
    from fairgate.config.model import Config


def decider(suite: Any, config: "Config") -> Literal["human", "automatic"] | None:
    """Who decides about people in a suite of any kind; None where nobody said.

    :param config: the configuration in which the suite stands
    """
    system = getattr(suite, "system", None)
    source = config.systems.get(system) if system is not None else suite
    found: Literal["human", "automatic"] | None = getattr(source, "decision_maker", None)
    return found


def decider_key(suite: Any) -> str:
    """Where that is written: ``systems.loan.decision_maker``, or the suite's own key."""
    system = getattr(suite, "system", None)
    return f"systems.{system}.decision_maker" if system is not None else "decision_maker"


def stakes_problems(config: "Config") -> Iterator[Problem]:
    """Where much is at stake it has to be said who decides: silence would be the easy way past a review."""
    for where, suite in config.placed:
        if not suite.high_stakes or decider(suite, config) is not None:
            continue
        system = getattr(suite, "system", None)
        if system is None and not hasattr(suite, "decision_maker"):
            message = "high_stakes asks who decides, and this suite names no system; add system"
        elif system is None or system in config.systems:
            message = f"high_stakes asks who decides; add {decider_key(suite)}: human or automatic"
        else:
            continue  # a system that does not exist is a problem of its own
        yield (*where, "high_stakes"), f"suite {suite.name}: {message}"
