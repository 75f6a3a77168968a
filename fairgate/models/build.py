"""From a ``systems`` entry of the configuration to the system that is asked."""

from typing import assert_never

from fairgate.config import Project
from fairgate.config.model import (
    ChatSystem,
    CommandSystem,
    HttpSystem,
    PythonSystem,
    RecordedSystem,
    SystemConfig,
)
from fairgate.config.section import Where
from fairgate.models.chat import Chat
from fairgate.models.command import Command
from fairgate.models.http_service import HttpService
from fairgate.models.protocol import System
from fairgate.models.python_callable import PythonCallable
from fairgate.models.recorded import Recorded
from fairgate.world import World


def build_system(config: SystemConfig, project: Project, where: Where, world: World) -> System:
    """The system that an entry of ``systems`` describes, checked as far as it can be without asking it.

    A secret that is not set is no error here: every call then says so, and the run reads as missing evidence.

    :param where: the entry's place, e.g. ``('systems', 'loan')``
    :raises ConfigError: for a prompt, a template, an expression, a callable or a command that cannot be used
    :raises InputError: for recorded answers that cannot be read
    """
    match config:
        case ChatSystem():
            return Chat(config, project, where, world)
        case HttpSystem():
            return HttpService(config, project, where, world)
        case CommandSystem():
            return Command(config, project, where, world)
        case PythonSystem():
            return PythonCallable(config, project, where)
        case RecordedSystem():
            return Recorded(config, project, where)
        case _:
            assert_never(config)
