"""The exceptions of the client."""

from typing import Any, Dict, List, Optional, Tuple, Type

from .wire import Holder

_TRANSIENT = {"BACKEND_DOWN", "UNKNOWN", "CONTENDED", "RATE_LIMITED", "NAMESPACE_FULL"}


class _Portable(Exception):
    """Can be copied and pickled, as a pool of processes does with what its workers raise. By
    default Python would create it from its message alone."""

    def __reduce__(self) -> Any:
        return _rebuilt, (type(self), self.args, self.__dict__)


def _rebuilt(
    kind: Type[_Portable], args: Tuple[Any, ...], fields: Dict[str, Any]
) -> _Portable:
    error = kind.__new__(kind, *args)
    error.__dict__.update(fields)
    return error


class LockyardError(_Portable):
    """A call that was refused, or got no answer; `reason` is one of `lockyard.wire.REASONS`.

    `BACKEND_DOWN`, `CONTENDED` and `NAMESPACE_FULL`: it was not applied. `UNKNOWN`: it may have
    been applied; repeat it with the same `requestId` to find out.
    """

    def __init__(
        self,
        reason: str,
        message: str,
        *,
        retry_after_ms: Optional[int] = None,
        request_id: Optional[str] = None,
        capacity: Optional[int] = None,
        detail: Optional[str] = None,
        wait_max_ms: Optional[int] = None,
        is_unreachable: bool = False,
        is_foreign: bool = False,
        is_final: bool = False,
    ):
        super().__init__(f"{reason}: {message}")
        self.reason = reason
        self.message = message
        self.retry_after_ms = retry_after_ms
        """The delay after which a retry may succeed, in milliseconds, if the server named one."""
        self.request_id = request_id
        """The server's own id of the request: quote it when asking an operator."""
        self.capacity = capacity
        """The lock's current capacity, if the acquire did not fit it."""
        self.detail = detail
        """What is wrong with the API key, such as `keyExpired` or `missingVerb`."""
        self.wait_max_ms = wait_max_ms
        """The longest wait that the namespace allows, in milliseconds, if a longer one was
        requested."""
        self.is_unreachable = is_unreachable
        """No connection could be made to the server, or to any of several."""
        self.is_foreign = is_foreign
        """The answer is not of a Lockyard, but of something else, such as a proxy."""
        self.is_transient = reason in _TRANSIENT and not is_final
        """Whether the same call may succeed a moment later."""

    @property
    def is_retryable(self) -> bool:
        """Whether the same call may succeed a moment later where Lockyard has answered: also
        after a fault that may affect only one answer, or an answer of something else."""
        return self.is_transient or self.is_foreign or self.reason == "INTERNAL"

    @property
    def is_server_failure(self) -> bool:
        """Whether another server may succeed."""
        is_down = self.reason in ("BACKEND_DOWN", "UNKNOWN")
        return is_down or (self.is_foreign and not self.is_transient)


class LockTimeout(_Portable):
    """The lock was not granted within `wait_ms`. Nothing is held; no place in the queue is kept."""

    def __init__(
        self,
        lock: str,
        wait_ms: float,
        holders: List[Holder],
        queue_length: Optional[int],
        frozen: Optional[str],
    ):
        holder = f"; {holders[0]['owner']} {_holds_it(holders[0])}" if holders else ""
        obstacle = holder if frozen is None else f"; it is frozen: {frozen}"
        super().__init__(f'"{lock}" was not granted within {wait_ms:.0f} ms{obstacle}.')
        self.lock = lock
        self.wait_ms = wait_ms
        self.holders = holders
        """Who holds the lock, according to the last answer."""
        self.queue_length = queue_length
        """How many callers waited for it then; None if the last answer did not say."""
        self.frozen = frozen
        """Why an operator has frozen the lock; None if it is not frozen."""


class LockLost(_Portable):
    """The hold ended before the work did.

    Another holder may have had the lock since, so writes whose token was not checked may conflict
    with that holder's. `__cause__` is the work's own error; or the last failure of a renewal, if
    none has succeeded since.
    """

    def __init__(
        self,
        lock: str,
        token: int,
        cause: str,
        at: Optional[int] = None,
        by: Optional[str] = None,
        reason: Optional[str] = None,
    ):
        super().__init__(f'Lost the lock "{lock}" (token {token}): {_explain(cause, by, reason)}.')
        self.lock = lock
        self.token = token
        self.cause = cause
        """`expired`, `released`, `forced`, `superseded`, or `unrenewed`: no answer to renewals."""
        self.at = at
        """When the hold had certainly ended, in epoch milliseconds of the backend's clock, if
        known."""
        self.by = by
        """The operator who force-released it."""
        self.reason = reason
        """The operator's reason."""


class ReleaseUnconfirmed(_Portable):
    """The work is done, under a valid hold, but the release was not confirmed.

    The lock may stay held until its lease ends. Do not repeat the work because of this error.
    """

    def __init__(self, lock: str, token: int, result: Any = None):
        super().__init__(f'The work under "{lock}" is done, but its release was not confirmed.')
        self.lock = lock
        self.token = token
        self.result = result
        """What the work returned, if it was passed to `Client.with_lock`."""


class LockUpgradeRefused(_Portable):
    """Work under a hold requested more of the same lock, and would wait for that hold itself."""

    def __init__(self, lock: str, token: int, held: str, wanted: str):
        how = "with permits" if held == "permit" else held
        super().__init__(
            f'"{lock}" is held {how} by the calling work (token {token}); {wanted} waits for it.'
        )
        self.lock = lock
        self.token = token


class WaitAbandoned(_Portable):
    """The caller's `stop` was set before the lock was granted. No place in the queue is kept."""

    def __init__(self) -> None:
        super().__init__("The wait for the lock was given up by its caller.")


def _holds_it(holder: Holder) -> str:
    if holder.get("releasedAt") is None:
        return "holds it"
    return f"released it, and it stays held for another {holder.get('expiresInMs')} ms"


def _explain(cause: str, by: Optional[str], reason: Optional[str]) -> str:
    if cause == "forced":
        return f"force-released{f' by {by}' if by else ''}{f' ({reason})' if reason else ''}"
    return {
        "expired": "its lease expired",
        "released": "it was released",
        "superseded": "the server has no record of this hold",
        "unrenewed": "no renewal succeeded in time",
    }.get(cause, cause)
