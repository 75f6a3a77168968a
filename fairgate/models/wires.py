"""From the ``model`` of a configuration to the wire over which it is asked."""

from collections.abc import Mapping
from typing import Any, assert_never

from fairgate.config import Project
from fairgate.config.section import Where
from fairgate.config.systems import AnthropicModel, LitellmModel, ModelConfig, OpenAIModel
from fairgate.models.anthropic import AnthropicWire
from fairgate.models.litellm import LitellmWire
from fairgate.models.openai import OpenAIWire
from fairgate.models.wire import Wire
from fairgate.world import World


def build_wire(
    config: ModelConfig, project: Project, where: Where, world: World, own: Mapping[str, Any] | None = None
) -> Wire:
    """The wire to a model. A secret that is not set is no error here: every call then says so.

    :param where: the model's place, e.g. ``('systems', 'loan', 'model')``
    :param own: the parameters of a system under test; None for a judge
    :raises ConfigError: for ``litellm`` when it is not installed
    """
    match config:
        case OpenAIModel():
            return OpenAIWire(config, world, own)
        case AnthropicModel():
            return AnthropicWire(config, world, own)
        case LitellmModel():
            return LitellmWire(config, project, where, world, own)
        case _:
            assert_never(config)
