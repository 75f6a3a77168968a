"""What the rules of every kind of suite have in common."""

from fairgate.config.section import Section
from fairgate.config.values import Flag, Name, Text


class Rule(Section):
    """What every rule has: a name, who decided the limit and why, and whether a person has to look in any case."""

    id: Name
    decided_by: Text | None = None
    why: Text | None = None
    requires_manual_review: Flag = False
