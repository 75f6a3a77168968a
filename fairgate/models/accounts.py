"""From the engine of a finished run to the part ``evidence`` of its report."""

from collections.abc import Iterable, Iterator

from fairgate.models.engine import Engine
from fairgate.models.ledger import Account as Counted
from fairgate.models.ledger import PartyId
from fairgate.report import Account, Evidence, Tokens
from fairgate.results import Remark
from fairgate.wording import sentence


def evidence(engine: Engine, seconds: float) -> Evidence:
    """What was asked of whom, what it took, and what a reader has to know about it.

    :param seconds: how long the run took
    """
    counted = engine.ledger.accounts
    accounts = [_account(party, account) for party, account in counted.items() if account.calls or account.cached]
    unpriced = [name for (_, name), account in counted.items() if _cost(account) is None]
    oldest = engine.ledger.oldest_cached_at
    return Evidence(
        calls=sum(account.calls for account in accounts),
        cached=sum(account.cached for account in accounts),
        resumed=sum(account.resumed for account in accounts),
        failed=sum(sum(account.failed.values()) for account in accounts),
        retries=sum(account.retried for account in accounts),
        seconds=round(seconds, 3),
        cost_usd=_total_cost(counted.values()) if not unpriced else None,
        tokens=Tokens(
            prompt=_total(account.tokens.prompt for account in accounts),
            completion=_total(account.tokens.completion for account in accounts),
        ),
        oldest_cached_s=None if oldest is None else round(max(0.0, engine.world.now().timestamp() - oldest), 3),
        models=accounts,
        remarks=list(_remarks(engine, accounts, unpriced)),
    )


def _account(party: PartyId, counted: Counted) -> Account:
    role, name = party
    cost = _cost(counted) if counted.priced else None
    return Account(
        role=role,
        name=name,
        calls=counted.calls,
        cached=counted.cached,
        resumed=counted.resumed,
        retried=counted.retried,
        failed=dict(counted.failed.most_common()),
        tokens=Tokens(prompt=counted.usage.prompt_tokens, completion=counted.usage.completion_tokens),
        cost_usd=None if cost is None else round(cost, 6),
        seconds=round(counted.seconds, 3),
        models=list(counted.models),
        fingerprints=list(counted.fingerprints),
    )


def _cost(account: Counted) -> float | None:
    """What a party's calls cost; None when that is not known. A service of one's own has no price here."""
    if not account.priced or account.calls == 0:
        return 0.0
    return None if account.price is None or account.unpriced else account.cost_usd


def _total_cost(accounts: Iterable[Counted]) -> float | None:
    """The sum over the models; None when no model was asked at all."""
    costs = [account.cost_usd for account in accounts if account.priced]
    return round(sum(costs), 6) if costs else None


def _total(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


def _remarks(engine: Engine, accounts: list[Account], unpriced: list[str]) -> Iterator[Remark]:
    if engine.passed_over:
        yield _remark("cache_in_repository", folder=engine.passed_over)
    stopped = engine.stop.missing
    if stopped is not None:
        yield _remark(stopped.reason, detail=stopped.detail)
    elif engine.ledger.refused is not None:
        yield _remark("budget_spent", detail=engine.ledger.refused)
    if unpriced and engine.limits.max_cost_usd is not None:
        yield _remark("cost_unknown", names=unpriced)
    for account in accounts:
        if len(account.models) > 1 or len(account.fingerprints) > 1:
            yield _remark("model_changed", account=account)
    if engine.resumed_from is not None:
        yield _remark("resumed", calls=sum(account.resumed for account in accounts))
    if engine.cache is not None and (engine.cache.dropped or engine.cache.problem):
        yield _remark("cache_trouble", dropped=engine.cache.dropped, problem=engine.cache.problem)


def _remark(code: str, **facts: object) -> Remark:
    return Remark(code=code, message=sentence(f"calls_{code}", **facts))
