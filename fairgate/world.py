"""Everything outside the process that a run touches, gathered so that a test can put its own in place."""

import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import requests


def _environ() -> Mapping[str, str]:
    return dict(os.environ)


@dataclass(frozen=True)
class World:
    """The one door to environment, clock, sleep, chance and HTTP.

    :param environ: environment variables, read once
    :param clock: seconds, monotonic
    :param now: seconds since 1970, for what outlives the process
    :param sleep: waits so many seconds
    :param chance: a number in [0, 1), for jitter only
    :param session: makes an HTTP session
    """

    environ: Mapping[str, str] = field(default_factory=_environ, repr=False)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    session: Callable[[], requests.Session] = requests.Session
