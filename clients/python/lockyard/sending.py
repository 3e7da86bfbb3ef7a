"""Sends one request and reads its answer. Nothing here is sent twice."""

import http.client
import math
import random
import socket
import sys
import threading
import time
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, TypeVar
from urllib.parse import quote, urlsplit

from .connecting import Tls, connection_to
from .errors import LockyardError, WaitAbandoned
from .reply import body_of, read_reply
from .request_text import encoded_path, json_of
from .stopping import pause, woken_by

HELD_OPEN_MS = 25_000
"""The server holds a waiting request at most this long, then answers `queued`."""
ANSWER_WITHIN_MS = 6_000
"""The server answers within 5 s of the end of the requested wait, or not at all."""
AT_ONCE_MS = 200
"""A `queued` answer faster than this comes from a server that is shutting down."""
CONNECT_WITHIN_MS = 1_000
"""How long a short wait retries while no connection can be made."""
CONNECTED_BUDGET_MS = 5_000
"""How long a short wait retries once the server can be reached."""
RETRY_BUDGET_MS = 10_000
"""How long a call is retried if nothing else sets a limit."""
TIDY_UP_MS = 2_000
"""How long cleaning up may delay an error that is already certain."""
SLOW_ANSWER_MS = 1_000
"""The minimum time for the answer to a renewal: a busy server may take this long."""

_FIRST_LOOK_MS, _LOOK_EVERY_MS, _RESPOND_WITHIN_MS = 1_000, 4_000, 2_000

A = TypeVar("A")


def now_ms() -> float:
    """A monotonic clock."""
    return time.monotonic() * 1_000


def drift_ms(ms: float) -> float:
    """How far two clocks may drift apart: 1 %, and 2 ms for rounding."""
    return ms / 100 + 2


def renewal_timeout_ms(lease_ms: float) -> float:
    """The time limit for the answer to a renewal: a third of the lease, within bounds."""
    return min(ANSWER_WITHIN_MS, max(lease_ms / 3, SLOW_ANSWER_MS))


def retry_delay_ms(attempt: int, retry_after_ms: Optional[float] = None) -> float:
    """At most 1 s, which a queue position survives, unless the server asks for more."""
    ceiling = min(1_000, 100 * 2 ** min(attempt, 10))
    return max(retry_after_ms or 0, ceiling * (0.5 + random.random() / 2))


def retrying(
    call: Callable[[], A],
    until: Callable[[], float],
    stop: Optional[threading.Event] = None,
    may_pass: Callable[[LockyardError], bool] = lambda error: error.is_transient,
) -> A:
    """Retries until there is an answer, a failure that may not pass, or the time is up."""
    attempt = 0
    while True:
        try:
            return call()
        except LockyardError as error:
            if not may_pass(error):
                raise
            delay_ms = retry_delay_ms(attempt, error.retry_after_ms)
            if now_ms() + delay_ms >= until():
                raise
            pause(delay_ms, stop)
            attempt += 1


def is_started(thread: threading.Thread) -> bool:
    """Starts a thread. False if none can be started, or the program is ending: then no new
    thread runs, and starting one would block."""
    if sys.is_finalizing():
        return False
    try:
        thread.start()
    except RuntimeError:
        return False
    return True


def in_background(work: Callable[..., Any], *args: Any) -> None:
    """Runs `work` in a thread of its own, or in the caller's if none can be started."""
    if not is_started(threading.Thread(target=work, args=args, daemon=True)):
        work(*args)


class Exchange:
    """One HTTP request on its own connection, in its own thread, so that the caller can abandon
    it."""

    def __init__(
        self,
        address: str,
        method: str,
        path: str,
        headers: Mapping[str, str],
        body: Optional[bytes],
        tls: Tls,
        answer_within_s: Optional[float] = None,
    ):
        """
        answer_within_s: the longest silence of the server, if the caller does not watch it
        """
        self.done = threading.Event()
        self.woken = threading.Event()
        """Set when the request is done, or the caller has to check something else."""
        self.never_left = True
        """Nothing has been sent. Final once the request is done or abandoned."""
        self.error: Optional[Exception] = None
        self.status = 0
        self.headers: Mapping[str, str] = {}
        self.body: Optional[bytes] = None
        """None if it is too long."""
        self._url = urlsplit(address)
        self._request = (method, f"{encoded_path(self._url)}{path}", body, dict(headers))
        self._tls = tls
        self._answer_within_s = answer_within_s
        self._socket: Optional[socket.socket] = None
        self._is_left = False
        self._sending = threading.Lock()

    def start(self, connect_within_ms: float, timeout_ms: float) -> None:
        target, args = self._run, (max(0.001, connect_within_ms / 1_000),)
        thread = threading.Thread(target=target, args=args, name="lockyard-request", daemon=True)
        if not is_started(thread):
            self._answer_within_s = self._answer_within_s or max(0.001, timeout_ms / 1_000)
            self._run(*args)

    def leave(self) -> None:
        """Abandons the request, whatever the server does with it; if not yet sent, it is never
        sent."""
        with self._sending:
            self._is_left = True
        if self._socket is not None:
            try:
                self._socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It has already ended.

    def _run(self, connect_within_s: float) -> None:
        connection: Optional[http.client.HTTPConnection] = None
        try:
            connection = connection_to(self._url, connect_within_s, self._tls)
            connection.connect()
            # The connection itself forgets it once an answer begins that is the last.
            self._socket = connection.sock
            with self._sending:
                if self._is_left:
                    raise ConnectionAbortedError("its caller has left")
                self.never_left = False
            connection.sock.settimeout(self._answer_within_s)
            connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            method, path, body, headers = self._request
            connection.request(method, path, body, headers)
            with connection.getresponse() as reply:
                self.status, self.headers, self.body = reply.status, reply.headers, body_of(reply)
        except Exception as error:  # Also from an abandoned connection.
            self.error = error
            self._tls.doubt(error)
        finally:
            if connection is not None:
                connection.close()
            self.done.set()
            self.woken.set()


class SilenceWatch:
    """Detects a server that has gone silent, as when its machine loses power: then nothing ends
    its open requests. One probe serves all of them, from time to time."""

    def __init__(self, tls: Tls) -> None:
        self._tls = tls
        self._looks: Dict[str, Tuple[float, Exchange]] = {}
        self._lock = threading.Lock()

    def look(self, address: str, since: float) -> Exchange:
        """Checks whether the server has been alive since then, with one probe for all callers."""
        with self._lock:
            begun_at, look = self._looks.get(address, (-math.inf, None))
            if look is None or begun_at < max(since, now_ms() - _LOOK_EVERY_MS / 2):
                within_s = _RESPOND_WITHIN_MS / 1_000
                look = Exchange(address, "GET", "/api/health/live", {}, None, self._tls, within_s)
                look.start(_RESPOND_WITHIN_MS, _RESPOND_WITHIN_MS)
                self._looks[address] = (now_ms(), look)
            return look


def send_request(
    address: str,
    api_key: str,
    tls: Tls,
    procedure: str,
    kind: str,
    ask: Mapping[str, Any],
    timeout_ms: float,
    connect_within_ms: Optional[float] = None,
    stop: Optional[threading.Event] = None,
    silence: Optional[SilenceWatch] = None,
    more_headers: Mapping[str, str] = {},
) -> Any:
    """Sends one request to one address. A request that was not sent is `BACKEND_DOWN`; one
    without a readable answer is `UNKNOWN`."""
    if stop is not None and stop.is_set():
        raise WaitAbandoned()
    text = json_of(ask)
    headers = {"Authorization": f"Bearer {api_key}", "Connection": "close", **more_headers}
    path = f"/api/v1/{procedure}"
    body: Optional[bytes] = None
    if kind == "query":
        path += f"?input={quote(text, safe='')}"
    else:
        headers["Content-Type"] = "application/json"
        body = text.encode()
    exchange = Exchange(address, "GET" if kind == "query" else "POST", path, headers, body, tls)
    within_ms = timeout_ms if connect_within_ms is None else min(timeout_ms, connect_within_ms)
    exchange.start(within_ms, timeout_ms)
    try:
        with woken_by(stop, exchange.woken) as look_every_s:
            failure = _wait(exchange, address, timeout_ms, within_ms, stop, look_every_s, silence)
    finally:
        if not exchange.done.is_set():
            exchange.leave()
    if failure is None:
        return _answer_in(exchange, address, procedure, kind)
    if exchange.never_left:  # Also if the name of the host is not resolved in time.
        raise _unreachable(address, "no connection in time")
    raise LockyardError("UNKNOWN", failure)


def _wait(
    exchange: Exchange,
    address: str,
    timeout_ms: float,
    connect_within_ms: float,
    stop: Optional[threading.Event],
    look_every_s: float,
    silence: Optional[SilenceWatch],
) -> Optional[str]:
    """Why it is to be abandoned; None once it is done. Waits in slices if something else may end
    the wait.

    look_every_s: how often to check `stop`, in seconds
    """
    sent_at = now_ms()
    look_at = sent_at + _FIRST_LOOK_MS
    look: Optional[Exchange] = None
    while True:
        within_ms = connect_within_ms if exchange.never_left else timeout_ms
        left_ms = sent_at + within_ms - now_ms()
        slice_s = min(max(0.0, left_ms / 1_000), look_every_s)
        if silence is not None:
            slice_s = min(slice_s, max(0.0, look_at - now_ms()) / 1_000)
        exchange.woken.wait(slice_s)
        if exchange.done.is_set():
            return None
        if stop is not None and stop.is_set():
            raise WaitAbandoned()
        if left_ms <= 0:
            return f"No answer within {timeout_ms:.0f} ms."
        if silence is None or now_ms() < look_at:
            continue
        if look is None:
            look = silence.look(address, sent_at)
            look_at = now_ms() + _RESPOND_WITHIN_MS
        elif look.done.is_set() and look.error is None:
            look = None
            look_at = now_ms() + _LOOK_EVERY_MS
        else:
            look.leave()
            return "The server does not respond any more."


def _answer_in(exchange: Exchange, address: str, procedure: str, kind: str) -> Any:
    if exchange.error is None:
        return read_reply(procedure, kind, exchange.status, exchange.headers, exchange.body)
    why = f"{type(exchange.error).__name__}: {exchange.error}"
    if exchange.never_left:
        raise _unreachable(address, why)
    raise LockyardError("UNKNOWN", f"Lockyard cannot be reached at {address} ({why}).")


def _unreachable(address: str, why: str) -> LockyardError:
    what = f"Lockyard cannot be reached at {address} ({why})."
    return LockyardError("BACKEND_DOWN", what, is_unreachable=True)
