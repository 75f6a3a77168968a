"""One question to one party: in its turn, again where that may help, never for ever. Every failure becomes missing
evidence here and nowhere else."""

import logging
from dataclasses import replace
from typing import Any

from fairgate.errors import FairgateError
from fairgate.models.engine import Party
from fairgate.models.protocol import CallFailed, Missing, Question, Reply, taken

Answer = Reply | Missing

LONGEST_WAIT_S = 60.0
"""A server that asks for a longer pause is not asked again."""
LONGEST_BACKOFF_S = 30.0
PATIENCE = 4
"""Times as many further tries after 429 as after a failure: the server is well, and only wants us slower."""

_log = logging.getLogger(__name__)


def ask(party: Party, question: Question) -> Answer:
    """The answer, or the reason why there is none.

    :raises FairgateError: the question cannot even be put together
    """
    clock = party.engine.world.clock
    started = began = clock()
    tries = 0
    failed: CallFailed | None = None
    before: list[CallFailed] = []
    while failed is None or worth_another(failed, tries, party.retries):
        if failed is not None:
            _back_off(party, failed, tries)
        refused = party.engine.stop.missing or party.breaker.closed or _admitted(party)
        if refused is not None:
            if failed is None:
                return refused
            break
        tries, began = tries + 1, clock()
        tried = _try(party, question)
        if isinstance(tried, Reply):
            reply = replace(tried, seconds=clock() - started, retries=tries - 1, **_took(*before, tried))
            party.breaker.saw(reply, began)
            return reply
        failed = tried
        before.append(failed)
    missing = Missing(failed.reason, told(failed), tries - 1, clock() - started, failed.asked, **_took(*before))
    _learn(party, failed, missing, began)
    return missing


def _took(*tries: Reply | CallFailed) -> dict[str, Any]:
    """The tokens of all tries together, and the calls that they were beside one for each."""
    calls, usage = taken(tries)
    return {"usage": usage, "extra_calls": calls - len(tries)}


def _admitted(party: Party) -> Missing | None:
    return None if party.free else party.engine.ledger.admit()


def _try(party: Party, question: Question) -> Reply | CallFailed:
    """Ask once, when the server has room and the pace allows it."""
    world = party.engine.world
    wait = party.server.enter()
    reply: Reply | None = None
    try:
        if wait > 0:
            wait += world.chance() * min(1.0, wait)  # not everybody at the same moment
        if party.pace is not None:
            wait = max(wait, party.pace.turn())
        if wait > 0:
            world.sleep(wait)
        reply = party.send(question)
    except CallFailed as failure:
        return failure
    except FairgateError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug in fairgate; it costs one answer, shown as such, not the run
        _log.debug("a system's adapter failed", exc_info=error)
        return CallFailed("internal_error", f"a bug in fairgate, please report it: {type(error).__name__}")
    finally:
        party.server.leave(answered=reply is not None, left=reply.left if reply else None)
    return reply


def worth_another(failure: CallFailed, tries: int, retries: int) -> bool:
    """Whether to ask again after the n-th try."""
    if not failure.retryable or (failure.retry_after or 0) > LONGEST_WAIT_S:
        return False
    return tries <= (retries * PATIENCE if failure.reason == "http_429" else retries)


def _back_off(party: Party, failure: CallFailed, tries: int) -> None:
    """Before another try: the whole server rests when it asks for it, else only this question does."""
    world = party.engine.world
    if failure.reason == "http_429" or failure.retry_after is not None:
        asked = failure.retry_after
        party.server.hold(asked if asked is not None else pause(tries, world.chance()))
    else:
        world.sleep(pause(tries, world.chance()))


def pause(tries: int, chance: float) -> float:
    """Seconds to wait after the n-th try: twice as long each time, half of it by chance so that many callers do not
    come back at once."""
    return min(LONGEST_BACKOFF_S, 2.0 ** (tries - 1)) * (1 + chance) / 2


def told(failure: CallFailed) -> str:
    """The failure in a sentence, with the pause that was too long."""
    if (failure.retry_after or 0) <= LONGEST_WAIT_S:
        return failure.detail
    return f"{failure.detail} (it asks to wait {failure.retry_after:g} s; fairgate waits at most {LONGEST_WAIT_S:g} s)"


def _learn(party: Party, failure: CallFailed, missing: Missing, began: float) -> None:
    """What a failure says about the questions to come."""
    if failure.final or (failure.retryable and (failure.retry_after or 0) > LONGEST_WAIT_S):
        party.breaker.close(missing, missing.detail)
    else:
        party.breaker.saw(missing, began)
