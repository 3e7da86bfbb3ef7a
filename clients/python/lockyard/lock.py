"""The block under a lock, for `with` and `async with`."""

import asyncio
import contextvars
import math
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple, TypeVar

from .errors import LockLost, LockUpgradeRefused, ReleaseUnconfirmed
from .holding import Hold, Listeners
from .sending import STOP_LOOK_S
from .settings import invalid
from .waiting import await_grant

if TYPE_CHECKING:
    from .client import Client

T = TypeVar("T")

_holds: "contextvars.ContextVar[Tuple[Hold, ...]]" = contextvars.ContextVar(
    "lockyard_holds", default=()
)
"""Those under which the present code runs, the innermost last."""


class _Stop(threading.Event):
    """Set by itself, or as soon as another one is."""

    def __init__(self, other: Optional[threading.Event]):
        super().__init__()
        self._other = other

    def is_set(self) -> bool:
        return super().is_set() or (self._other is not None and self._other.is_set())

    def wait(self, timeout: Optional[float] = None) -> bool:
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self.is_set():
            left_s = until - time.monotonic()
            if left_s <= 0:
                return False
            super().wait(min(left_s, STOP_LOOK_S))
        return True


class Lock:
    """What `Client.lock` returns: enter it once."""

    def __init__(
        self,
        client: "Client",
        ask: Dict[str, Any],
        wait_ms: float,
        names_owner: bool,
        own_hold: bool,
        stop: Optional[threading.Event],
        listeners: Listeners,
    ):
        self._client = client
        self._ask = ask
        self._wait_ms = wait_ms
        self._names_owner = names_owner
        self._own_hold = own_hold
        self._stop = stop
        self._listeners = dict(listeners)
        self._hold: Optional[Hold] = None
        self._joined: Optional[Hold] = None
        self._was_cancelled = False
        self._task: Any = None
        self._entrance = threading.Lock()
        self._unlisten: Optional[Callable[[], None]] = None
        self._scope: Optional["contextvars.Token[Tuple[Hold, ...]]"] = None

    def __enter__(self) -> Hold:
        outer = self._outer_hold()
        if outer is not None:
            return self._join(outer)
        grant = await_grant(self._client, self._ask, self._wait_ms, self._stop)
        return self._begin(Hold(self._client, self._ask, grant, self._listeners))

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        hold = self._leave()
        if hold is None:
            return self._raise_loss_of_outer(error)
        hold.stop()
        self._report(hold, hold.release(), error)

    async def __aenter__(self) -> Hold:
        """As `with`; the task that works is cancelled when the hold is lost."""
        outer = self._outer_hold()
        if outer is not None:
            return self._join_in_task(outer)
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        # The caller's own may stop other waits as well.
        stop = _Stop(self._stop)
        waiting = _in_thread(
            loop, lambda: await_grant(self._client, self._ask, self._wait_ms, stop)
        )
        try:
            grant = await asyncio.shield(waiting)
        except asyncio.CancelledError:
            stop.set()
            waiting.add_done_callback(lambda done: done.cancelled() or self._give_back(done))
            raise
        own = self._listeners.get("lost")

        def on_lost(loss: LockLost) -> None:
            loop.call_soon_threadsafe(self._cancel, task)
            if own:
                own(loss)

        hold = Hold(self._client, self._ask, grant, {**self._listeners, "lost": on_lost})
        hold.tasks.add(task)
        return self._begin(hold)

    async def __aexit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        hold = self._leave()
        if hold is None:
            return self._raise_loss_of_outer(await self._after_own_cancel(error))
        hold.stop()
        releasing = _in_thread(asyncio.get_running_loop(), hold.release)
        cancelled: Optional[BaseException] = None
        while not releasing.done():
            try:
                await asyncio.shield(releasing)
            except asyncio.CancelledError as again:
                cancelled = None if self._was_cancelled else again
        error = self._without_own_cancel(error)
        self._report(hold, releasing.result(), error)
        if cancelled is not None:
            raise cancelled

    async def _after_own_cancel(self, error: Optional[BaseException]) -> Optional[BaseException]:
        if self._was_cancelled and not isinstance(error, asyncio.CancelledError):
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError:
                pass  # It comes only where the task waits again.
        return self._without_own_cancel(error)

    def _without_own_cancel(self, error: Optional[BaseException]) -> Optional[BaseException]:
        """What the block raised, but for the end of its task that came from here."""
        if not self._was_cancelled:
            return error
        task: Any = asyncio.current_task()
        if hasattr(task, "uncancel"):
            task.uncancel()
        return None if isinstance(error, asyncio.CancelledError) else error

    def _cancel(self, task: Any) -> None:
        if self._hold is not None and not self._hold.is_over:
            self._was_cancelled = True
            task.cancel()

    def _give_back(self, done: "asyncio.Future[Any]") -> None:
        """A grant that came while its caller was being cancelled."""
        if done.exception() is None:
            hold = Hold(self._client, self._ask, done.result(), {})
            threading.Thread(target=hold.release, daemon=True).start()

    def _begin(self, hold: Hold) -> Hold:
        self._hold = hold
        hold.begin()
        if hold.loss is not None:
            hold.stop()
            hold.release()
            raise hold.loss
        self._scope = _holds.set((*_open_holds(), hold))
        return hold

    def _join(self, outer: Hold) -> Hold:
        self._joined = outer
        self._unlisten = outer.listen(self._listeners)
        return outer

    def _join_in_task(self, outer: Hold) -> Hold:
        """Cancels the task with the hold, unless a block around this one does."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task in outer.tasks:
            return self._join(outer)
        own = self._listeners.get("lost")

        def cancel() -> None:
            if task in outer.tasks and not self._was_cancelled:
                self._was_cancelled = True
                task.cancel()

        def on_end(loss: Optional[LockLost]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(cancel)
            if own and loss is not None:
                own(loss)

        outer.tasks.add(task)
        self._task = task
        self._listeners = {**self._listeners, "lost": on_end, "ended": on_end}
        return self._join(outer)

    def _leave(self) -> Optional[Hold]:
        """The hold of this block's own; None where it works under that of an outer block."""
        if self._unlisten is not None:
            self._unlisten()
            if self._joined is not None:
                self._joined.tasks.discard(self._task)
            return None
        if self._scope is not None:
            try:
                _holds.reset(self._scope)
            except ValueError:
                pass  # Left in another context, as generators are by some frameworks.
        return self._hold

    def _raise_loss_of_outer(self, error: Optional[BaseException]) -> None:
        outer = self._joined
        if outer is None:
            return
        loss = outer.check_lost()
        if loss is None and outer.is_over:
            loss = LockLost(outer.name, outer.token, "released")
        if loss is not None:
            _raise(loss, error)

    def _report(
        self, hold: Hold, failure: Optional[Exception], error: Optional[BaseException]
    ) -> None:
        if hold.loss is not None:
            _raise(hold.loss, error)
        if error is None and failure is not None:
            raise ReleaseUnconfirmed(hold.name, hold.token) from failure

    def _outer_hold(self) -> Optional[Hold]:
        """The hold under which the caller works already, where that is enough."""
        if not self._entrance.acquire(blocking=False):
            raise invalid("A lock is entered once: ask the client for another one.")
        if self._own_hold:
            return None
        ask = self._ask
        for hold in reversed(_open_holds()):
            is_same = hold.client is self._client and hold.name == ask["name"]
            is_same = is_same and hold.namespace == ask["namespace"]
            if is_same and (not self._names_owner or hold.owner == ask["owner"]):
                hold.check()
                _refuse_upgrade(hold, ask)
                return hold
        return None


def _refuse_upgrade(hold: Hold, ask: Dict[str, Any]) -> None:
    """An exclusive hold is enough for all, a shared one for shared ones, permits for as many."""
    if hold.mode == "exclusive":
        return
    permits = ask.get("permits", 1)
    if ask["mode"] != hold.mode:
        raise LockUpgradeRefused(hold.name, hold.token, hold.mode, ask["mode"])
    if hold.mode == "permit" and permits > hold.permits:
        wanted = f"a request for {permits} permits"
        raise LockUpgradeRefused(hold.name, hold.token, hold.mode, wanted)


def _open_holds() -> Tuple[Hold, ...]:
    return tuple(
        hold for hold in _holds.get() if hold.is_of_this_process and not hold.is_over
    )


def _raise(loss: LockLost, error: Optional[BaseException]) -> None:
    """The loss, with the work's own error as its cause, unless that only passes the loss on."""
    if error is None or error is loss or error.__cause__ is loss:
        raise loss
    raise LockLost(loss.lock, loss.token, loss.cause, loss.at, loss.by, loss.reason) from error


def _in_thread(loop: asyncio.AbstractEventLoop, work: Callable[[], T]) -> "asyncio.Future[T]":
    """In a thread of its own: those of an executor are few, and waits are long."""
    future: "asyncio.Future[T]" = loop.create_future()

    def settle(result: Any, error: Optional[BaseException]) -> None:
        if future.done():
            return
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(result)

    def run() -> None:
        try:
            result, error = work(), None
        except BaseException as raised:
            result, error = None, raised
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            pass  # The loop is closed.

    threading.Thread(target=run, name="lockyard-async", daemon=True).start()
    return future
