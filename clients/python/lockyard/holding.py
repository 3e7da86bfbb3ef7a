"""Renews a hold every third of its lease, and notices when it may be lost."""

import math
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Set

from .errors import LockLost, LockyardError
from .listeners import Listeners, notify
from .sending import (
    ANSWER_WITHIN_MS,
    RETRY_BUDGET_MS,
    SLOW_ANSWER_MS,
    TIDY_UP_MS,
    drift_ms,
    is_started,
    now_ms,
    renewal_timeout_ms,
    retry_delay_ms,
    retrying,
)
from .settings import request_id
from .waiting import Grant
from .wire import Remark

if TYPE_CHECKING:
    from .client import Client


_LOOK_AT_LOOP_S = 1.0
"""How often it is checked whether the loop of a task that holds a lock is closed."""


class Hold:
    """A granted lock, as the work under it receives it."""

    def __init__(self, client: "Client", ask: Dict[str, Any], grant: Grant, listeners: Listeners):
        self.namespace: str = ask["namespace"]
        self.name: str = ask["name"]
        self.token = grant.token
        """The fencing token: send it with every write to a resource that can refuse a stale one."""
        self.waited_ms = grant.waited_ms
        self.waited_for_traceparent = grant.waited_for_traceparent
        """The `traceparent` of the hold that it waited for, if it is of the same service; None
        if unknown."""
        self.expires_at = grant.expires_at
        """The end of the lease in the last answer, in epoch milliseconds of the backend's clock."""
        self.lost = threading.Event()
        """Set when the hold is lost. Prefer `check`, which reads the clock."""
        self.loss: Optional[LockLost] = None
        self.asked_to_release: Optional[Remark] = None
        """The remark of an operator who asks for the lock: the work should finish soon."""
        self.renewals_stopped: Optional[Remark] = None
        """The operator's remark once renewals no longer extend this hold, which ends at
        `expires_at`."""
        self.client = client
        self.mode: str = ask["mode"]
        self.permits: int = ask.get("permits", 1)
        self.owner: str = ask["owner"]
        self.is_over = False
        """The work has ended: what it left running no longer holds the lock."""
        self._asked: Optional[Remark] = None
        self.tasks: Set[Any] = set()
        """Tasks that are cancelled when the hold is lost, or ends before them."""
        self.is_abandoned: Optional[Callable[[], bool]] = None
        """Whether nothing can leave the block any more, as when the loop of its task is closed."""
        self._pid = os.getpid()
        self._lease_ms: int = ask["leaseMs"]
        self._ref = {key: ask[key] for key in ("namespace", "name", "owner")}
        self._proven_until = grant.proven_until
        self._renew_at = grant.sent_at + self._renew_after_ms(grant.expires_in_ms)
        self._renewed_since = -math.inf
        """When the last answered renewal was sent."""
        self._last_failure: Optional[Exception] = None
        self._release_id = request_id()
        self._ended = threading.Event()
        self._state = threading.Lock()
        self._listeners: List[Listeners] = [listeners]
        _holds.add(self)

    @property
    def is_of_this_process(self) -> bool:
        """False in a process forked since: nothing there renews the hold, or notices its end."""
        return self._pid == os.getpid()

    def forget_threads(self) -> None:
        """Called in a forked process, where a thread that held a lock of this does not exist."""
        self.lost, self._ended, self._state = threading.Event(), threading.Event(), threading.Lock()
        if self.loss is not None:
            self.lost.set()

    def remaining_ms(self) -> float:
        """How much of the lease is certainly left: counted on a monotonic clock from before the
        request was sent, less an allowance for drift. 0 once the hold is lost or the work has
        ended."""
        return 0 if self.is_over or self.loss is not None else self._left_ms()

    def _left_ms(self) -> float:
        return max(0, self._proven_until - now_ms())

    def check(self) -> None:
        """Raises `LockLost` unless the lease is certainly valid: call it right before each step."""
        loss = self.check_lost()
        if loss is not None:
            raise loss
        if self.is_over:
            raise LockLost(self.name, self.token, "released")

    def check_lost(self) -> Optional[LockLost]:
        """None while the lease is certainly valid, by the clock: the watchdog may be late."""
        # Not by `remaining_ms`: the block may end meanwhile, which is not a loss.
        if not self.is_over and self._left_ms() == 0:
            self._lose("unrenewed", failure=self._last_failure)
        return self.loss

    def listen(self, listeners: Listeners) -> Callable[[], None]:
        """Forwards the hold's events, past ones included, until the returned function is called."""
        with self._state:
            self._listeners.append(listeners)
            past = {"asked": self._asked, "stopped": self.renewals_stopped, "lost": self.loss}
        for event, what in past.items():
            if what is not None:
                notify(listeners.get(event), what)
        if self.is_over:
            notify(listeners.get("ended"), None)
        return lambda: self._listeners.remove(listeners)

    def begin(self) -> None:
        """Starts the renewals. A hold with no time left is lost immediately."""
        if self.check_lost() is None:
            name = f"lockyard-renew-{self.name}"
            threading.Thread(target=self._keep_renewing, name=name, daemon=True).start()

    def stop(self) -> None:
        """Ends the renewals. A hold that expired unnoticed counts as lost."""
        self.check_lost()
        self.is_over = True
        self._ended.set()
        for listeners in list(self._listeners):
            notify(listeners.get("ended"), None)

    def release(self, within_ms: float = RETRY_BUDGET_MS) -> Optional[Exception]:
        """Releases the hold once, if there is anything to release; returns the failure if there
        was no answer. An answer that it was lost is stored in `loss`. Safe to repeat."""
        loss = self.loss
        is_over = loss is not None and loss.cause != "unrenewed"
        # A process that was forked within the block must not release what its parent still holds.
        if is_over or not self.is_of_this_process:
            return None
        end = now_ms() + (TIDY_UP_MS if loss is not None else within_ms)
        until = end if loss is not None else min(end, self._proven_until)
        ask = {**self._ref, "token": self.token, "requestId": self._release_id}

        def release() -> Any:
            timeout_ms = min(ANSWER_WITHIN_MS, end - now_ms())
            return self.client.send("lock.release", "mutation", ask, timeout_ms=timeout_ms)

        try:
            answer = retrying(release, lambda: until, may_pass=lambda error: error.is_retryable)
        except LockyardError as error:
            return error
        if answer["outcome"] == "lost":
            self._lose(answer["cause"], answer)
        return None

    def _keep_renewing(self) -> None:
        failures = 0
        while not self._ended.wait(self._until_look_s()):
            if self.check_lost() is not None:
                return
            if self.is_abandoned is not None and self.is_abandoned():
                self.stop()
                self.release()
                return
            if now_ms() < self._renew_at:
                continue
            try:
                self._renew()
                failures = 0
            except Exception as error:
                self._last_failure = error
                # While the lease lasts, any failure may pass: retry, sooner for a short lease.
                delay_ms = retry_delay_ms(failures, getattr(error, "retry_after_ms", None))
                failures += 1
                self._renew_at = now_ms() + min(delay_ms, self._lease_ms / 6)

    def _until_look_s(self) -> float:
        """How long until a renewal is due, the lease may have expired, or the loop is checked."""
        due_s = max(0, min(self._renew_at, self._proven_until) - now_ms()) / 1_000
        return due_s if self.is_abandoned is None else min(due_s, _LOOK_AT_LOOP_S)

    def _renew(self) -> None:
        """One attempt. Returns before its answer if that takes a third of the lease: a short
        lease would nearly have expired by then, so the next attempt starts while this one is
        open. That may be answered after the present end of the lease, which another answer may
        move."""
        left_ms, timeout_ms = self._left_ms(), renewal_timeout_ms(self._lease_ms)
        if self._lease_ms / 3 >= SLOW_ANSWER_MS:
            return self._ask_to_renew(min(timeout_ms, left_ms))
        overdue_ms = min(self._lease_ms / 3, left_ms)
        failures: List[Exception] = []

        def ask() -> None:
            try:
                self._ask_to_renew(timeout_ms)
            except Exception as error:
                failures.append(error)

        name = f"lockyard-renewal-{self.name}"
        asking = threading.Thread(target=ask, name=name, daemon=True)
        if not is_started(asking):
            return self._ask_to_renew(min(timeout_ms, left_ms))
        asking.join(overdue_ms / 1_000)
        is_overdue = asking.is_alive()
        if failures:
            raise failures[0]
        if is_overdue:
            raise LockyardError("UNKNOWN", f"No answer within {overdue_ms:.0f} ms.")

    def _ask_to_renew(self, timeout_ms: float) -> None:
        sent_at = now_ms()
        ask = {**self._ref, "token": self.token, "leaseMs": self._lease_ms}
        answer = self.client.send("lock.renew", "mutation", ask, timeout_ms=timeout_ms)
        if self._ended.is_set():
            return
        if answer["outcome"] != "renewed":
            # `released`: by another call with this hold's owner and token.
            self._lose(answer.get("cause", "released"), answer)
            return
        expires_in_ms = answer["expiresInMs"]
        proven_until = sent_at + expires_in_ms - drift_ms(expires_in_ms)
        # A renewal never shortens a lease, however slow its answer.
        is_prolonged = "renewalsStopped" not in answer
        with self._state:
            # Of two concurrent attempts the later one may be answered first.
            if self.loss is not None or sent_at < self._renewed_since:
                return
            self._renewed_since, self._last_failure = sent_at, None
            self.expires_at = answer["expiresAt"]
            self._proven_until = (
                max(self._proven_until, proven_until) if is_prolonged else proven_until
            )
            self._renew_at = sent_at + self._renew_after_ms(expires_in_ms)
        self._pass_on(answer)

    def _pass_on(self, answer: Dict[str, Any]) -> None:
        """Passes on operators' messages, each once."""
        asked, stopped = answer.get("askedToRelease"), answer.get("renewalsStopped")
        with self._state:
            is_first_asked = asked is not None and self._asked is None
            is_first_stopped = stopped is not None and self.renewals_stopped is None
            self._asked = self._asked or asked
            self.asked_to_release = self.asked_to_release or asked or stopped
            self.renewals_stopped = self.renewals_stopped or stopped
            present = list(self._listeners)
        for listeners in present:
            if is_first_asked:
                notify(listeners.get("asked"), asked)
            if is_first_stopped:
                notify(listeners.get("stopped"), stopped)

    def _lose(
        self,
        cause: str,
        facts: Mapping[str, Any] = {},
        failure: Optional[Exception] = None,
    ) -> None:
        with self._state:
            if self.loss is not None:
                return
            loss = LockLost(
                self.name, self.token, cause, facts.get("at"), facts.get("by"), facts.get("reason")
            )
            loss.__cause__ = failure
            self.loss = loss
            # `listen` passes it on to later listeners.
            present = list(self._listeners)
        self.lost.set()
        self._ended.set()
        for listeners in present:
            notify(listeners.get("lost"), loss)

    def _renew_after_ms(self, expires_in_ms: float) -> float:
        """A third of the lease, or of what is left if less, but not one after another."""
        least_ms = min(self._lease_ms / 30, 100)
        return max(min(self._lease_ms, expires_in_ms) / 3, least_ms)


_holds: "weakref.WeakSet[Hold]" = weakref.WeakSet()


def _forget_threads() -> None:
    for hold in list(_holds):
        hold.forget_threads()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
