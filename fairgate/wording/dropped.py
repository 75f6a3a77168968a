"""What is said of a system that was not asked as production asks it."""

from collections.abc import Iterable, Iterator

from fairgate.models.protocol import Missing, Reply
from fairgate.results import Remark
from fairgate.wording import sentence


def dropped_parameters(system: str | None, answers: Iterable[Reply | Missing]) -> Iterator[Remark]:
    """A remark when some answers were given without parameters that the configuration holds.

    It is read from the answers: what was refused belongs to them, also where they come from an earlier run.

    :param system: its name; None for decisions made elsewhere
    """
    lists = [answer.dropped for answer in answers if isinstance(answer, Reply) and answer.dropped]
    if lists:
        names = list(dict.fromkeys(name for names in lists for name in names))
        message = sentence("system_dropped", system=system, dropped=names, answers=len(lists))
        yield Remark(code="dropped_parameters", message=message)
