"""A Lockyard server, or several of one database, used with an API key."""

import os
import ssl
import threading
import weakref
from functools import partial
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, TypeVar

from .connecting import Tls
from .errors import LockLost, LockyardError, ReleaseUnconfirmed
from .holding import Hold
from .late_work import refuse_late, refuse_late_result
from .lock import Lock
from .request_text import trace_header
from .sending import (
    ANSWER_WITHIN_MS,
    AT_ONCE_MS,
    HELD_OPEN_MS,
    SilenceWatch,
    now_ms,
    send_request,
)
from .settings import (
    VERSION,
    Addresses,
    ApiKey,
    invalid,
    meta_with,
    needed,
    process_meta,
    request_id,
)
from .wire import Procedures, Remark

T = TypeVar("T")

# The mutations that are safe to repeat without a request id.
_REPEATABLE = {"lock.renew", "lock.cancel", "lock.cancelMany", "lock.watch", "counter.create"}
_WAITING = {"lock.acquire": 0, "lock.acquireMany": 0, "lock.watch": HELD_OPEN_MS}
_TRACED = {"lock.acquire", "lock.acquireMany"}
_OWNED = {
    "lock.acquire",
    "lock.acquireMany",
    "lock.cancel",
    "lock.cancelMany",
    "lock.renew",
    "lock.release",
}


class Client(Procedures):
    """A client of Lockyard. One is enough for a program; any number of threads can use it.

    Each of its methods from `acquire` to `get_counter` sends one request. It takes an input as
    described in `lockyard.wire`; the client fills in a missing `owner` and `namespace`. `lock` adds
    waiting, renewing, retrying and releasing.

    It can be pickled, as for a process that `multiprocessing` spawns. There it is created again
    from the same arguments, and what was not given, such as the owner, is that process's own. A
    client that was given its key cannot be pickled, since the key would be as well.

    Raises `LockyardError` with reason `INVALID` if the address or the key is missing or invalid.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        api_key: Optional[str] = None,
        *,
        namespace: str = "default",
        owner: Optional[str] = None,
        version: str = VERSION,
        ssl_context: Optional[ssl.SSLContext] = None,
    ):
        """
        url: `http(s)://…`, or several servers of one database, separated by commas; `LOCKYARD_URL`
        api_key: by default `LOCKYARD_API_KEY`, or the content of the file `LOCKYARD_API_KEY_FILE`,
            which is read again when its key is refused
        owner: the owner id of this client's holds, at most 100 bytes; default: host, process id
            and random text
        version: of this program, shown to operators with its holds
        ssl_context: of its connections; default: the authorities of the system, which
            `SSL_CERT_FILE` and `SSL_CERT_DIR` change
        """
        self.addresses = Addresses(
            needed(url or os.environ.get("LOCKYARD_URL"), "url", "LOCKYARD_URL")
        )
        self._key = ApiKey(api_key)
        self._given: Dict[str, Any] = {
            "url": url,
            "namespace": namespace,
            "owner": owner,
            "version": version,
            "ssl_context": ssl_context,
        }
        self._tls = Tls(ssl_context)
        self.namespace = namespace
        self._version = version
        self._given_owner = owner
        self._name_process()
        _clients.add(self)

    def __reduce__(self) -> Any:
        if self._key.is_given:
            raise TypeError(
                "A Client that was given its API key cannot be pickled, since the key would be as "
                "well. Leave the key to LOCKYARD_API_KEY, or create a client in each process."
            )
        return partial(type(self), **self._given), ()

    def _name_process(self) -> None:
        """Called again in a forked process, which is a different holder from its parent."""
        self.addresses.forget_threads()
        self._silence = SilenceWatch(self._tls) if len(self.addresses) > 1 else None
        identity = process_meta()
        self._meta: Dict[str, str] = {**identity, "version": self._version}
        own = f"{identity['host']}:{identity['pid']}:{request_id()[:6]}"
        self.owner = self._given_owner or own

    def lock(
        self,
        name: str,
        *,
        namespace: Optional[str] = None,
        owner: Optional[str] = None,
        lease_ms: Optional[int] = None,
        wait_ms: float = 60_000,
        hold_at_least_ms: Optional[int] = None,
        mode: Literal["exclusive", "shared", "permit"] = "exclusive",
        permits: Optional[int] = None,
        capacity: Optional[int] = None,
        reentrant: bool = False,
        own_hold: bool = False,
        meta: Optional[Mapping[str, str]] = None,
        traceparent: Optional[str] = None,
        stop: Optional[threading.Event] = None,
        on_lost: Optional[Callable[[LockLost], None]] = None,
        on_asked_to_release: Optional[Callable[[Remark], None]] = None,
        on_renewals_stopped: Optional[Callable[[Remark], None]] = None,
    ) -> Lock:
        """A lock for a block: `with client.lock("job") as hold:`, or `async with`.

        Waits for the lock, renews it every third of its lease, and always releases it. Within the
        block, a lock of the same name by the same client runs under this hold immediately, without
        a request, unless `own_hold` is true. A thread that the block starts waits for it instead,
        except by `asyncio.to_thread`.

        lease_ms: how long it stays held after this process dies; 30 s, or `hold_at_least_ms`
        wait_ms: the timeout of the whole wait: 0 (do not wait) to 10 minutes, or `math.inf`
        hold_at_least_ms: it stays held for at least this long, even if the work ends sooner
        mode: `exclusive`, `shared`, or `permit`, with `permits` of a `capacity`
        traceparent: the W3C header of the span to which the hold belongs; ignored if not valid
        stop: set by the caller to give up waiting: `WaitAbandoned` is raised

        The three callbacks are called by the thread that renews.

        Raises, besides what the block raises:
        - `LockTimeout`: not granted within `wait_ms`; the block never ran;
        - `LockLost`: the hold ended before the block did; takes precedence over an error of the
          block, which is its `__cause__`, but not over `KeyboardInterrupt`, `SystemExit` and a
          cancellation of the task by its caller;
        - `ReleaseUnconfirmed`: the block is done, under a valid hold, but its release was not
          answered;
        - `LockUpgradeRefused`: within a block whose hold grants less of the same lock;
        - `LockyardError`: refused, or no answer in time; the block never ran.

        What no lock can guarantee: a paused process may still write after its lease has expired,
        before it can notice. Only the guarded resource can refuse that write, by `hold.token`.
        `hold.check()` right before a write narrows the gap, but never closes it.
        """
        if not isinstance(wait_ms, (int, float)) or isinstance(wait_ms, bool) or not wait_ms >= 0:
            raise invalid("`wait_ms` must be a number from 0 to 600,000, or math.inf.")
        ask: Dict[str, Any] = {
            "namespace": self.namespace if namespace is None else namespace,
            "name": name,
            "owner": self.owner if owner is None else owner,
            "leaseMs": max(30_000, hold_at_least_ms or 0) if lease_ms is None else lease_ms,
            "mode": mode,
            "reentrant": reentrant,
            "meta": dict(meta or {}),
        }
        optional = {
            "holdAtLeastMs": hold_at_least_ms,
            "permits": permits,
            "capacity": capacity,
            "traceparent": traceparent,
        }
        ask.update({key: value for key, value in optional.items() if value is not None})
        listeners = {
            "lost": on_lost,
            "asked": on_asked_to_release,
            "stopped": on_renewals_stopped,
        }
        return Lock(self, ask, wait_ms, owner is not None, own_hold, stop, listeners)

    def with_lock(self, name: str, work: Callable[[Hold], T], **options: Any) -> T:
        """Runs `work` under the lock and returns its result; options and errors as for `lock`.

        Raises `LockyardError` with reason `INVALID` for work that is or returns a coroutine or a
        generator, which would run only once the lock is released.
        """
        refuse_late(work)
        result: List[T] = []
        try:
            with self.lock(name, **options) as hold:
                result.append(work(hold))
                refuse_late_result(result[0])
        except ReleaseUnconfirmed as error:
            if result and error.lock == name:
                error.result = result[0]
            raise
        return result[0]

    def _call(self, procedure: str, kind: str, ask: Mapping[str, Any]) -> Any:
        return self.send(procedure, kind, ask)

    def send(
        self,
        procedure: str,
        kind: str,
        ask: Mapping[str, Any],
        *,
        timeout_ms: Optional[float] = None,
        connect_within_ms: Optional[float] = None,
        stop: Optional[threading.Event] = None,
    ) -> Any:
        """Sends to the address in use. If no connection can be made, and the request was not
        sent or is safe to repeat, tries the others in turn; the one that answers stays in
        use."""
        fields = self._completed(procedure, ask)
        headers = trace_header(fields.pop("traceparent", None)) if procedure in _TRACED else {}
        if timeout_ms is None:
            timeout_ms = ANSWER_WITHIN_MS
            if procedure in _WAITING:
                timeout_ms += min(fields.get("waitMs", _WAITING[procedure]), HELD_OPEN_MS)
        until = now_ms() + timeout_ms

        def send_to(address: str, api_key: str) -> Any:
            return send_request(
                address,
                api_key,
                self._tls,
                procedure,
                kind,
                fields,
                until - now_ms(),
                connect_within_ms,
                stop,
                self._silence,
                headers,
            )

        may_repeat = kind == "query" or procedure in _REPEATABLE or "requestId" in fields
        failures: List[LockyardError] = []
        for address in self.addresses.in_order():
            sent_at = now_ms()
            try:
                answer = self._key.use(partial(send_to, address))
            except LockyardError as error:
                if not error.is_server_failure:
                    raise
                self.addresses.leave(address)
                failures.append(error)
                may_move = error.is_unreachable and (may_repeat or error.reason == "BACKEND_DOWN")
                if not may_move or now_ms() >= until:
                    raise
                continue
            if answer.get("outcome") == "queued" and now_ms() - sent_at < AT_ONCE_MS:
                self.addresses.leave(address)
            return answer
        raise _none_reachable(failures)

    def _completed(self, procedure: str, ask: Mapping[str, Any]) -> Dict[str, Any]:
        fields = {"namespace": self.namespace, **ask}
        if procedure in _OWNED:
            fields = {"owner": self.owner, **fields}
        if procedure in _TRACED:
            fields["meta"] = meta_with(self._meta, fields.get("meta", {}))
        return fields


_clients: "weakref.WeakSet[Client]" = weakref.WeakSet()


def _name_forked_process() -> None:
    for client in list(_clients):
        client._name_process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_name_forked_process)


def _none_reachable(failures: List[LockyardError]) -> LockyardError:
    if len(failures) == 1:
        return failures[0]
    is_not_applied = all(error.reason == "BACKEND_DOWN" for error in failures)
    what = f"Lockyard cannot be reached at any of {len(failures)} addresses."
    return LockyardError("BACKEND_DOWN" if is_not_applied else "UNKNOWN", what, is_unreachable=True)
