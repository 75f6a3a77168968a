"""From a ``judges`` entry of the configuration to the judge that is asked."""

from typing import assert_never

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.config.systems import OpenAIModel
from fairgate.config.triad import AnthropicModel, JudgeConfig, LexicalJudge
from fairgate.judges.anthropic import AnthropicWire
from fairgate.judges.lexical import Lexical
from fairgate.judges.openai import OpenAIWire
from fairgate.judges.structured import ModelJudge
from fairgate.models.protocol import System
from fairgate.world import World


def build_judge(config: JudgeConfig, project: Project, where: Where, world: World) -> System:
    """The judge that an entry of ``judges`` describes. It answers the tasks of ``fairgate.judges.tasks``.

    A secret that is not set is no error here: every call then says so, and the run reads as missing evidence.

    :param where: the entry's place, e.g. ``('judges', 'fast')``
    """
    match config:
        case OpenAIModel():
            return ModelJudge(config, config.model, OpenAIWire(config, world))
        case AnthropicModel():
            return ModelJudge(config, config.model, AnthropicWire(config, world))
        case LexicalJudge():
            return Lexical()
        case _:
            assert_never(config)
