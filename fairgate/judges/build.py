"""From a ``judges`` entry of the configuration to the judge that is asked."""

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.config.triad import JudgeConfig, LexicalJudge
from fairgate.judges.lexical import Lexical
from fairgate.judges.structured import ModelJudge
from fairgate.models.protocol import System
from fairgate.models.wires import build_wire
from fairgate.world import World


def build_judge(config: JudgeConfig, project: Project, where: Where, world: World) -> System:
    """The judge that an entry of ``judges`` describes. It answers the tasks of ``fairgate.judges.tasks``.

    A secret that is not set is no error here: every call then says so, and the run reads as missing evidence.

    :param where: the entry's place, e.g. ``('judges', 'fast')``
    :raises ConfigError: for ``litellm`` when it is not installed
    """
    if isinstance(config, LexicalJudge):
        return Lexical()
    return ModelJudge(config, config.model, build_wire(config, project, where, world))
