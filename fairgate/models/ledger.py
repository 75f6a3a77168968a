"""What a run's calls came to: one account for each party, and the limits that the sum may not pass."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from fairgate.models.protocol import Missing, Reply, Usage

BUDGET_SPENT = "budget_spent"

Answer = Reply | Missing
PartyId = tuple[str, str]
"""Role (system, judge, panel, embeddings) and name."""

MOST_NAMES = 8
"""Different names of models or fingerprints that are remembered; a server that has more has one for each call."""


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float = 0.0

    def cost(self, usage: Usage) -> float | None:
        """US dollars for so many tokens; None when the server reported none."""
        if usage.prompt_tokens is None and usage.completion_tokens is None:
            return None
        return ((usage.prompt_tokens or 0) * self.input + (usage.completion_tokens or 0) * self.output) / 1e6


@dataclass
class Account:
    """What was asked of one party, and what it took.

    :ivar calls: calls that were made, answered or not: one for each question, and a repair, another try with more room
        or a parameter that was refused are calls of their own; ``retried`` come on top
    :ivar cached: questions that the cache answered
    :ivar resumed: calls of the interrupted part of this run, among ``calls``
    :ivar failed: reason to calls that brought no answer
    :ivar unpriced: answers whose cost is not known: no price, or no tokens reported
    :ivar seconds: time spent waiting for answers, retries included, summed over calls
    """

    price: Price | None = None
    priced: bool = False
    calls: int = 0
    cached: int = 0
    resumed: int = 0
    retried: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0
    models: dict[str, None] = field(default_factory=dict)
    fingerprints: dict[str, None] = field(default_factory=dict)

    def count(self, answer: Answer, *, resumed: bool = False) -> None:
        """Count what became of one call."""
        if isinstance(answer, Missing) and not answer.asked:
            return
        calls = 1 + answer.extra_calls
        self.calls += calls
        self.resumed += calls if resumed else 0
        self.retried += answer.retries
        self.seconds += answer.seconds
        self.usage = self.usage.plus(answer.usage)
        cost = self.price.cost(answer.usage) if self.price else None
        self.cost_usd += cost or 0.0
        if isinstance(answer, Missing):
            self.failed[answer.reason] += 1
        else:
            self.unpriced += cost is None
            self.heard(answer)

    def heard(self, reply: Reply) -> None:
        """Note which model answered, as the server calls it."""
        for names, name in ((self.models, reply.model), (self.fingerprints, reply.fingerprint)):
            if name is not None and len(names) < MOST_NAMES:
                names[name] = None


class Ledger:
    """The accounts of a run. Used by several threads at once.

    :ivar refused: which limit some question was not asked for; None when none was refused
    :ivar oldest_cached_at: when the oldest answer came that the cache gave, in seconds since 1970
    """

    def __init__(self, *, max_calls: int | None = None, max_cost_usd: float | None = None) -> None:
        """:param max_calls: calls of everybody together, further tries included"""
        self._max_calls = max_calls
        self._max_cost_usd = max_cost_usd
        self._accounts: dict[PartyId, Account] = {}
        self._lock = Lock()
        self._admitted = 0
        self._spent_usd = 0.0
        self.refused: str | None = None
        self.oldest_cached_at: float | None = None

    @property
    def accounts(self) -> Mapping[PartyId, Account]:
        """By role and name, in the order in which the parties were introduced."""
        return self._accounts

    def introduce(self, party: PartyId, price: Price | None, *, priced: bool) -> None:
        """Open an account.

        :param priced: whether asking it costs money as far as anybody can know: it is a model on a server
        """
        self._accounts[party] = Account(price=price, priced=priced)

    def admit(self) -> Missing | None:
        """Take one call from the budget; what becomes of the question when nothing is left of it."""
        with self._lock:
            spent = self._exhausted()
            if spent is None:
                self._admitted += 1
                return None
            self.refused = spent
            return Missing(BUDGET_SPENT, spent, asked=False)

    def spend(self, party: PartyId, answer: Answer) -> None:
        """Take from the budget what a call came to beyond what ``admit`` took: known only when it is over, and due
        before the next one is admitted."""
        with self._lock:
            self._spend(party, answer)

    def settle(self, party: PartyId, answer: Answer) -> None:
        """Count what became of a call that this part of the run made, or did not make."""
        with self._lock:
            self._accounts[party].count(answer)

    def resume(self, party: PartyId, answer: Answer) -> None:
        """Count a call of the interrupted part of the run: it was paid for, so it takes from the budget."""
        with self._lock:
            self._admitted += 1 + answer.retries
            self._spend(party, answer)
            self._accounts[party].count(answer, resumed=True)

    def cached(self, party: PartyId, reply: Reply, at: float) -> None:
        """Count an answer from the cache: it costs nothing now.

        :param at: when it came, in seconds since 1970
        """
        with self._lock:
            account = self._accounts[party]
            account.cached += 1
            account.heard(reply)
            self.oldest_cached_at = at if self.oldest_cached_at is None else min(at, self.oldest_cached_at)

    def _spend(self, party: PartyId, answer: Answer) -> None:
        price = self._accounts[party].price
        self._admitted += answer.extra_calls
        self._spent_usd += (price.cost(answer.usage) if price else None) or 0.0

    def _exhausted(self) -> str | None:
        if self._max_calls is not None and self._admitted >= self._max_calls:
            return f"max_calls ({self._max_calls:,}) is spent; the rest was not asked"
        if self._max_cost_usd is not None and self._spent_usd >= self._max_cost_usd:
            return f"max_cost_usd ({self._max_cost_usd:g}) is spent; the rest was not asked"
        return None
