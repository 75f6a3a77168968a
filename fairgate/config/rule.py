"""What the rules of every kind of suite have in common."""

from typing import Annotated

from pydantic import Field

from fairgate.config.section import Section
from fairgate.config.values import Flag, Name, OneOrMany, Text


class Rule(Section):
    """What every rule has: a name, who decided the limit and why, and whether a person has to look in any case."""

    id: Name
    decided_by: Text | None = None
    why: Text | None = None
    requires_manual_review: Flag = False
    profiles: Annotated[list[Name], Field(min_length=1), OneOrMany()] | None = None

    def applies(self, profile: str | None) -> bool:
        """Whether the rule is judged in a run with this profile; None is a run without any."""
        return self.profiles is None or profile in self.profiles
