"""Nobody else's code ends the process that holds the verdict."""

import os
from functools import cache
from typing import NoReturn

leave = os._exit
"""The real thing, for who may: the action, when everything is said."""


@cache
def keep_exits_closed() -> None:
    """From now on ``os._exit`` raises SystemExit in this process, as ``sys.exit`` does; once for all.

    A system that runs in this process would otherwise end the run with an exit code of its choosing, and 0 would read
    PASS. It is not undone: a call that was abandoned may still come to its exit later. Forked children are not
    concerned; they end themselves this way as a matter of course.
    """
    here = os.getpid()

    def refuse(status: int) -> NoReturn:
        if os.getpid() != here:
            leave(status)
        raise SystemExit(status)

    os._exit = refuse
