"""The engine of a run: everybody who is asked is asked through it, with one budget, one journal and one cache.

A ``Party`` is a ``System`` with a name and a role in a run. Whoever asks it, asks through ``fairgate.models.pool``.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel

from fairgate.config.systems import ChatSystem
from fairgate.models import journal as journals
from fairgate.models import kept
from fairgate.models.cache import Cache
from fairgate.models.journal import Entry, Journal
from fairgate.models.ledger import BUDGET_SPENT, Ledger, PartyId, Price
from fairgate.models.mask import Mask
from fairgate.models.protocol import Missing, Question, Reply, System
from fairgate.models.quiet import quiet
from fairgate.models.server import Breaker, Pace, Server
from fairgate.models.stop import CANCELLED, Stop
from fairgate.world import World

Answer = Reply | Missing
Role = Literal["system", "judge", "panel", "embeddings"]

FREE = ("recorded", "lexical")
"""Types that are no call to anybody: neither kept nor taken from a budget."""

MODELS = ("chat", "openai", "anthropic", "litellm")
"""Types that the cache may answer for: their configuration says all that decides an answer. A service, a command or a
function changes with the code that is under test, which no key can hold."""


@dataclass(frozen=True)
class Limits:
    """What a run may take; None for no limit."""

    max_calls: int | None = None
    max_cost_usd: float | None = None
    max_seconds: float | None = None


@dataclass(frozen=True)
class Keeping:
    """Where answers are kept.

    :param journal: file of the journal; None to keep none
    :param cache: folder of answers from earlier runs; None for none
    :param max_age_s: how old an answer from the cache may be
    :param fresh: use nothing that was kept, neither of the cache nor of an interrupted run
    :param resume: take over what an interrupted part of this run was answered
    :param passed_over: a cache that is not used because it is part of the repository
    """

    journal: Path | None = None
    cache: Path | None = None
    max_age_s: float = 7 * 24 * 3600.0
    fresh: bool = False
    resume: bool = True
    passed_over: str = ""


class Engine:
    """Everything that the calls of one run share.

    :ivar ledger: what the calls came to
    :ivar stop: ends the asking
    """

    def __init__(
        self,
        world: World,
        limits: Limits | None = None,
        keeping: Keeping | None = None,
        stop: Stop | None = None,
        mask: Mask | None = None,
    ) -> None:
        """:raises UsageError: the folder of the cache cannot be used"""
        self.world = world
        self.limits = limits or Limits()
        self.ledger = Ledger(max_calls=self.limits.max_calls, max_cost_usd=self.limits.max_cost_usd)
        self.stop = stop or Stop()
        self.mask = mask or Mask(())
        self.resumed_from: float | None = None
        self._keeping = keeping or Keeping()
        self._started = world.clock()
        folder = None if self._keeping.fresh else self._keeping.cache
        now = world.now().timestamp()
        self.cache = Cache(folder, self._keeping.max_age_s, now) if folder is not None else None
        self._journal: Journal | None = None
        self._earlier: dict[str, Reply] = {}
        self._servers: dict[str, Server] = {}
        self._repeats: Counter[str] = Counter()
        self._lock = Lock()

    def party(self, system: System, role: Role, name: str, config: BaseModel | None = None) -> "Party":
        """Introduce somebody who is going to be asked.

        :param config: its part of the configuration: price, pace, and what decides its answers
        """
        model = config.model if isinstance(config, ChatSystem) else config
        stated = getattr(model, "price", None)
        price = Price(stated.input, getattr(stated, "output", 0.0)) if stated is not None else None
        self.ledger.introduce((role, name), price, priced="price" in type(model).model_fields if model else False)
        per_minute = getattr(model, "max_per_minute", None)
        return Party(self, system, role, name, config, Pace(self.world.clock, per_minute) if per_minute else None)

    def server(self, address: str) -> Server:
        """What is known of the server at an address, shared by everybody who asks it."""
        with self._lock:
            return self._servers.setdefault(urlsplit(address).netloc or address, Server(self.world.clock))

    @contextmanager
    def asking(self, run: str) -> Iterator[None]:
        """Within, calls are written to the journal, and those of an interrupted part of this run are taken over.

        :param run: a digest of what makes it this run
        :raises UsageError: the journal cannot be written
        """
        with quiet(), ExitStack() as stack:
            if self.cache is not None:
                stack.callback(self.cache.close)
            if self._keeping.journal is None:
                yield
                return
            now, resume = self.world.now().timestamp(), self._keeping.resume and not self._keeping.fresh
            with journals.opened(self._keeping.journal, run, now, resume=resume) as journal:
                self._take_over(journal)
                try:
                    yield
                finally:
                    self._journal = None

    def time_left(self) -> float | None:
        """Seconds until ``max_seconds`` are over, never negative; None for no limit."""
        if self.limits.max_seconds is None:
            return None
        return max(0.0, self._started + self.limits.max_seconds - self.world.clock())

    def out_of_time(self) -> None:
        """Stop the asking because ``max_seconds`` are over."""
        detail = f"max_seconds ({self.limits.max_seconds:g}) are over; the rest was not waited for"
        self.stop.because(BUDGET_SPENT, detail)

    @property
    def passed_over(self) -> str:
        """A cache that is not used because it is part of the repository; empty when there is none."""
        return self._keeping.passed_over

    @property
    def folders(self) -> list[Path]:
        """Where the run writes: the folder of the report with its journal, and the cache."""
        journal, cache = self._keeping.journal, self._keeping.cache
        return [*([] if journal is None else [journal.parent.parent]), *([] if cache is None else [cache])]

    @property
    def unfinished(self) -> Path | None:
        """The journal that is to be closed when the report is written; None when there is none or it was cancelled, so
        that the next run goes on from there."""
        cancelled = self.stop.missing is not None and self.stop.missing.reason == CANCELLED
        return None if cancelled else self._keeping.journal

    def key(self, party: "Party", question: Question) -> str:
        """The key of the next time that this is asked; called in the order of the questions."""
        content = kept.content(party.identity, question)
        with self._lock:
            repeat = self._repeats[content]
            self._repeats[content] += 1
        return kept.key_of(content, repeat)

    def kept_answer(self, party: "Party", key: str, *, fresh: bool = False) -> Reply | None:
        """An answer that need not be asked for: of the interrupted part of this run, or of the cache.

        :param fresh: not of the cache
        """
        earlier = self._earlier.pop(key, None)
        if earlier is not None:
            return earlier  # counted when it was taken over
        if self.cache is None or not party.cacheable or fresh:
            return None
        found = self.cache.find(key, self.world.now().timestamp())
        if found is None:
            return None
        self.ledger.cached(party.id, found.reply, found.at)
        return found.reply

    def keep(self, party: "Party", key: str, question: Question, answer: Answer) -> None:
        """Write a call down, before anybody sees what came of it."""
        if party.free or (isinstance(answer, Missing) and not answer.asked):
            return
        now, journal = self.world.now().timestamp(), self._journal
        if journal is not None:
            journal.append(Entry(key, party.id, question.id, answer), now)
        if self.cache is None or not party.cacheable or question.fresh:
            return
        if isinstance(answer, Reply) and not answer.partial:
            self.cache.keep(key, answer, now)

    def _take_over(self, journal: Journal) -> None:
        self._journal = journal
        for entry in journal.earlier:
            if entry.party not in self.ledger.accounts:
                continue
            self.ledger.resume(entry.party, entry.answer)
            if isinstance(entry.answer, Reply):
                self._earlier[entry.key] = entry.answer
        journal.earlier.clear()
        self.resumed_from = journal.started


@dataclass
class Party:
    """Somebody who is asked in a run: a system with its role and name, and the run's engine around it. A ``System``."""

    engine: Engine
    system: System
    role: Role
    name: str
    config: BaseModel | None = None
    pace: Pace | None = None
    concurrency: int = field(init=False)
    retries: int = field(init=False)
    breaker: Breaker = field(init=False)
    server: Server = field(init=False)
    free: bool = field(init=False)
    cacheable: bool = field(init=False)
    _identity: str | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        """Find out what it is."""
        self.concurrency, self.retries = self.system.concurrency, self.system.retries
        described = self.system.describe()
        kind = described.get("type")
        self.free = kind in FREE or bool(described.get("embedded"))
        self.cacheable = kind in MODELS and not self.free
        self.server = self.engine.server(described.get("address") or f"{self.role} {self.name}")
        self.breaker = Breaker(self.engine.world.clock, self.server, self.concurrency)

    @property
    def id(self) -> PartyId:
        """Role and name."""
        return self.role, self.name

    @property
    def identity(self) -> str:
        """A digest of everything about it that can change its answers. Judge and panel are one role here."""
        if self._identity is None:
            role = "judge" if self.role == "panel" else self.role
            self._identity = kept.identity(role, self.name, self.config, self.system.files())
        return self._identity

    def request(self, question: Question) -> Any:
        """See ``System``."""
        return self.system.request(question)

    def send(self, question: Question) -> Reply:
        """See ``System``."""
        return self.system.send(question)

    def describe(self) -> dict[str, Any]:
        """See ``System``."""
        return self.system.describe()

    def files(self) -> list[Path]:
        """See ``System``."""
        return self.system.files()

    def close(self) -> None:
        """See ``System``."""
        self.system.close()


def is_known_by_its_inputs(system: System) -> bool:
    """Whether configuration and files say all that decides its answers; code under test changes without them."""
    return isinstance(system, Party) and (system.cacheable or system.free)


def alone(system: System, world: World) -> Party:
    """A system that is asked outside of a run: no budget, no journal, no cache."""
    return Engine(world).party(system, "system", "it")
