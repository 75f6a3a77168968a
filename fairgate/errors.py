"""What can be wrong with what a person gave us.

    FairgateError            exit code 2; its text is written for the person who meets it
    ├── UsageError           the command line or an action input
    ├── ConfigError          fairgate.yaml, release.yaml, a prompt file
    └── InputError           a golden file, a decided file, recorded answers

Everything that goes wrong *during* a run (a call that fails, an answer nobody can read) is not an error but missing
evidence: a value with a reason, see ``fairgate.models.protocol.Missing``.
"""


class FairgateError(Exception):
    """Something a person has to mend; shown without a traceback. The text says where, what was found, what was
    expected and what to do. Several problems of one file stand on lines of their own."""


class UsageError(FairgateError):
    """The command line or an input of the action."""


class ConfigError(FairgateError):
    """The configuration: a key, a value, a prompt file."""


class InputError(FairgateError):
    """A file with cases, decisions or answers."""
