"""Everything outside the process that a run touches, gathered so that a test can put its own in place."""

import os
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import requests


def _environ() -> Mapping[str, str]:
    return dict(os.environ)


def _now() -> datetime:
    return datetime.now(UTC)


def _session() -> "requests.Session":
    import requests  # noqa: PLC0415 - a run that asks nobody does without

    return requests.Session()


@dataclass(frozen=True)
class World:
    """The one door to environment, clock, sleep, chance and HTTP.

    :param environ: environment variables, read once
    :param clock: seconds, monotonic
    :param now: the time of day, in UTC
    :param sleep: waits so many seconds
    :param chance: a number in [0, 1), for jitter only
    :param session: makes an HTTP session
    """

    environ: Mapping[str, str] = field(default_factory=_environ, repr=False)
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = _now
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random
    session: Callable[[], "requests.Session"] = _session
