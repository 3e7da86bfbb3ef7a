"""Waits for a grant over as many requests as it takes, all with one request id."""

import math
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Dict, Optional

from .errors import LockTimeout, LockyardError, WaitAbandoned
from .sending import (
    ANSWER_WITHIN_MS,
    AT_ONCE_MS,
    CONNECT_WITHIN_MS,
    CONNECTED_BUDGET_MS,
    HELD_OPEN_MS,
    RETRY_BUDGET_MS,
    TIDY_UP_MS,
    drift_ms,
    in_background,
    now_ms,
    renewal_timeout_ms,
    retry_delay_ms,
    retrying,
)
from .settings import request_id
from .stopping import pause

if TYPE_CHECKING:
    from .client import Client

_RESEND_WITHIN_MS = 10 * 60_000
_PART_MS = 9 * 60_000
_SHORTEST_PART_MS = 1_000
"""Shorter parts would be little more than polling."""
_FROZEN_ATTEMPT = 10


@dataclass(frozen=True)
class Grant:
    """A grant, with what proves until when it is valid."""

    token: int
    waited_ms: float
    expires_at: int
    sent_at: float
    """By our clock, before the answered request was sent: the lease cannot have started earlier."""
    expires_in_ms: int
    waited_for_traceparent: Optional[str] = None

    @property
    def proven_until(self) -> float:
        return self.sent_at + self.expires_in_ms - drift_ms(self.expires_in_ms)


def await_grant(
    client: "Client", ask: Dict[str, Any], wait_ms: float, stop: Optional[threading.Event]
) -> Grant:
    """Waits once; an infinite wait is split into parts, each starting at the end of the queue."""
    if wait_ms != math.inf:
        return GrantWait(client, ask, wait_ms, stop).run()
    part_ms = _PART_MS
    while True:
        try:
            return GrantWait(client, ask, part_ms, stop).run()
        except LockTimeout:
            pass
        except LockyardError as error:
            if error.wait_max_ms and _SHORTEST_PART_MS <= error.wait_max_ms < part_ms:
                part_ms = error.wait_max_ms
                continue
            # `UNKNOWN` is final where the same id may not be sent again; the next part has another.
            if not error.is_transient and error.reason != "UNKNOWN":
                raise
            # A part may be shorter than this, and would otherwise be asked for again at once.
            pause(error.retry_after_ms or 0, stop)


class GrantWait:
    """One wait. If it fails, it leaves the queue, or releases a grant whose answer was lost."""

    def __init__(
        self, client: "Client", ask: Dict[str, Any], wait_ms: float, stop: Optional[threading.Event]
    ):
        self._client = client
        self._ask = ask
        self._wait_ms = wait_ms
        self._stop = stop
        self._started_at = now_ms()
        self._id = request_id()
        self._asked_wait_ms: Optional[int] = int(wait_ms)
        """The `waitMs` of the next request; None: what is left of the wait."""
        self._is_wait_known = False
        """The server may know it for the current id: each later request must have the same."""
        self._answered_at = self._started_at
        self._may_be_known = False
        """The server may know the current id: there may be a queue position or a grant to
        release."""
        self._is_connected = False

    def run(self) -> Grant:
        try:
            return self._until_granted()
        except BaseException as error:
            if self._may_be_known:
                if self._is_silenced(error):
                    in_background(self._cancel)
                else:
                    self._cancel()
            raise

    def _until_granted(self) -> Grant:
        while True:
            sent_at, answer = retrying(self._send, self._until, self._stop)
            outcome = answer["outcome"]
            if outcome == "granted":
                grant = self._prove(answer, sent_at)
                if grant is not None:
                    return grant
            self._may_be_known = outcome == "queued"
            if outcome in ("held", "timeout") or self._patience_left_ms() <= 0:
                raise self._timeout(answer)
            self._before_asking_again(answer, sent_at)

    def _send(self) -> Any:
        """Sends the acquire with the current id."""
        if self._stop is not None and self._stop.is_set():
            raise WaitAbandoned()
        now = now_ms()
        if now - self._answered_at > _RESEND_WITHIN_MS:
            message = "No answer for 10 minutes; a retry is no longer safe."
            raise LockyardError("UNKNOWN", message, is_final=True)
        was_unsure = self._may_be_known
        # Negative for a short wait that continues because of failures, so that it ends in time.
        left_ms = min(self._started_at + self._wait_ms - now, HELD_OPEN_MS)
        is_watched = not self._is_connected and self._wait_ms < CONNECT_WITHIN_MS
        share_ms = CONNECT_WITHIN_MS / len(self._client.addresses)
        connect_ms = min(self._started_at + CONNECT_WITHIN_MS - now, share_ms)
        if self._asked_wait_ms is None:
            self._asked_wait_ms = math.ceil(self._patience_left_ms())
        self._may_be_known = True
        try:
            answer = self._client.send(
                "lock.acquire",
                "mutation",
                {**self._ask, "waitMs": self._asked_wait_ms, "requestId": self._id},
                timeout_ms=left_ms + ANSWER_WITHIN_MS,
                connect_within_ms=max(0, connect_ms) if is_watched else None,
                stop=self._stop,
            )
        except LockyardError as error:
            if not error.is_unreachable:
                self._is_connected = True
            is_unsure = error.reason in ("UNKNOWN", "INTERNAL")
            if not is_unsure:
                self._may_be_known = was_unsure
            self._keep_wait(is_unsure)
            raise
        self._is_connected = True
        self._answered_at = now_ms()
        self._keep_wait(answer["outcome"] == "queued")
        return now, answer

    def _keep_wait(self, may_be_known: bool) -> None:
        """Called after each request: the next one asks for what is left, unless it may not."""
        self._is_wait_known = self._is_wait_known or may_be_known
        if not self._is_wait_known:
            self._asked_wait_ms = None

    def _until(self) -> float:
        """When retries end: even a wait shorter than one attempt is retried for a while."""
        least_ms = CONNECTED_BUDGET_MS if self._is_connected else CONNECT_WITHIN_MS
        return self._started_at + max(self._wait_ms, least_ms)

    def _prove(self, answer: Dict[str, Any], sent_at: float) -> Optional[Grant]:
        """A grant that is certainly valid. Its lease is counted from before the request, so the
        wait may have used up most of it: then a renewal restarts it. None: the hold ended
        before any work began."""
        grant = Grant(
            answer["token"],
            answer["waitedMs"],
            answer["expiresAt"],
            sent_at,
            answer["expiresInMs"],
            answer.get("waitedForTraceparent"),
        )
        now = now_ms()
        lease_ms = self._ask["leaseMs"]
        if grant.proven_until - now >= lease_ms / 2:
            return grant
        renewal = {key: self._ask[key] for key in ("namespace", "name", "owner", "leaseMs")}

        def renew() -> Optional[Grant]:
            renewed_at = now_ms()
            ask = {**renewal, "token": grant.token}
            timeout_ms = renewal_timeout_ms(lease_ms)
            reply = self._client.send(
                "lock.renew", "mutation", ask, timeout_ms=timeout_ms, stop=self._stop
            )
            if reply["outcome"] != "renewed":
                return None
            expires_at, expires_in_ms = reply["expiresAt"], reply["expiresInMs"]
            proven = replace(
                grant, expires_at=expires_at, expires_in_ms=expires_in_ms, sent_at=renewed_at
            )
            if proven.proven_until > now_ms():
                return proven
            message = "The lease may have expired: its renewal was answered late."
            raise LockyardError("UNKNOWN", message)

        return retrying(
            renew,
            lambda: now + RETRY_BUDGET_MS,
            self._stop,
            may_pass=lambda error: error.is_retryable,
        )

    def _before_asking_again(self, answer: Dict[str, Any], sent_at: float) -> None:
        outcome = answer["outcome"]
        if outcome == "queueFull":
            delay_ms = retry_delay_ms(0, answer.get("retryAfterMs"))
            pause(min(delay_ms, self._patience_left_ms()), self._stop)
        elif outcome == "frozen":
            pause(min(retry_delay_ms(_FROZEN_ATTEMPT), self._patience_left_ms()), self._stop)
        elif outcome != "queued":
            self._id = request_id()
            self._asked_wait_ms, self._is_wait_known = None, False
            self._answered_at = now_ms()
        elif now_ms() - sent_at < AT_ONCE_MS:
            pause(retry_delay_ms(1), self._stop)

    def _patience_left_ms(self) -> float:
        return max(0, self._started_at + self._wait_ms - now_ms())

    def _is_silenced(self, error: BaseException) -> bool:
        """If no server responds, a cancel will hardly be answered, and is not worth a delay."""
        if not isinstance(error, LockyardError):
            return False
        is_short = self._wait_ms < CONNECTED_BUDGET_MS
        return error.is_unreachable or (is_short and error.reason == "UNKNOWN")

    def _cancel(self) -> None:
        """Releases any grant of the current request id. If that fails, its lease expires."""
        until = now_ms() + TIDY_UP_MS
        ask = {key: self._ask[key] for key in ("namespace", "name", "owner")}
        ask["requestId"] = self._id
        try:
            retrying(
                lambda: self._client.send(
                    "lock.cancel", "mutation", ask, timeout_ms=until - now_ms()
                ),
                lambda: until,
                may_pass=lambda error: error.is_retryable,
            )
        except LockyardError:
            pass  # The error that led here is more informative.

    def _timeout(self, answer: Dict[str, Any]) -> LockTimeout:
        return LockTimeout(
            self._ask["name"],
            self._wait_ms,
            answer.get("holders", []),
            answer.get("queueLength"),
            answer["reason"] if answer["outcome"] == "frozen" else None,
        )
