"""The block under a lock, for `with` and `async with`."""

import asyncio
import contextvars
import threading
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Tuple

from .errors import LockLost, LockUpgradeRefused, ReleaseUnconfirmed
from .holding import Hold
from .listeners import Listeners
from .sending import TIDY_UP_MS, in_background
from .settings import invalid
from .stopping import Stop
from .tasks import Handover, cancels_in, count_cancels, in_thread
from .waiting import Grant, await_grant

if TYPE_CHECKING:
    from .client import Client

_holds: "contextvars.ContextVar[Tuple[Hold, ...]]" = contextvars.ContextVar(
    "lockyard_holds", default=()
)
"""The holds under which the calling code runs, the innermost last."""


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
        self._cancels_before = 0
        self._task: Any = None
        self._entrance = threading.Lock()
        self._unlisten: Optional[Callable[[], None]] = None
        self._scope: Optional["contextvars.Token[Tuple[Hold, ...]]"] = None

    def __enter__(self) -> Hold:
        outer = self._outer_hold()
        if outer is not None:
            return self._join(outer)
        grant = await_grant(self._client, self._ask, self._wait_ms, self._stop)
        try:
            return self._begin(Hold(self._client, self._ask, grant, self._listeners))
        except BaseException:  # Also Ctrl-C: no block will release it.
            self._release_unused(grant)
            raise

    def __exit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        hold = self._leave()
        if hold is None:
            return self._raise_loss_of_outer(error)
        try:
            hold.stop()
            failure = hold.release()
        except BaseException:  # Ctrl-C; a second one ends this as well.
            hold.stop()
            hold.release(TIDY_UP_MS)
            raise
        self._report(hold, failure, error)

    async def __aenter__(self) -> Hold:
        """As `with`; the task is cancelled when the hold is lost."""
        self._cancels_before = count_cancels(asyncio.current_task())
        outer = self._outer_hold()
        if outer is not None:
            return self._join_in_task(outer)
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        # A `Stop` of this wait's own: the caller's may stop other waits as well.
        stop = Stop(self._stop, loop.is_closed)
        handover: Handover[Grant] = Handover(self._release_unused)
        waiting = in_thread(
            loop,
            lambda: handover.offer(await_grant(self._client, self._ask, self._wait_ms, stop)),
            afterwards=lambda: handover.watch(loop.is_closed),
        )
        try:
            grant = await asyncio.shield(waiting)
            handover.take()
        except (asyncio.CancelledError, GeneratorExit):  # The latter if the loop was closed.
            stop.set()
            handover.leave()
            # Retrieves its exception, which does not matter: asyncio would warn otherwise.
            if not loop.is_closed():
                waiting.add_done_callback(lambda done: done.cancelled() or done.exception())
            raise
        own = self._listeners.get("lost")

        def on_lost(loss: LockLost) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._cancel, task)
            if own:
                own(loss)

        hold = Hold(self._client, self._ask, grant, {**self._listeners, "lost": on_lost})
        hold.tasks.add(task)
        hold.is_abandoned = loop.is_closed
        try:
            return self._begin(hold)
        except (LockLost, RuntimeError):
            await in_thread(loop, hold.release, or_here=True)
            raise

    async def __aexit__(self, kind: Any, error: Optional[BaseException], trace: Any) -> None:
        hold = self._leave()
        if hold is None:
            return self._raise_loss_of_outer(await self._after_own_cancel(error))
        hold.stop()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # It was closed before the block could end.
            return in_background(hold.release, TIDY_UP_MS)
        releasing = in_thread(loop, hold.release, or_here=True)
        cancels = cancels_in(error)
        while not releasing.done():
            try:
                await asyncio.shield(releasing)
            except asyncio.CancelledError as again:
                cancels.append(again)
        self._report(hold, releasing.result(), self._without_own_cancel(error, cancels))

    async def _after_own_cancel(self, error: Optional[BaseException]) -> Optional[BaseException]:
        cancels = cancels_in(error)
        if self._was_cancelled and not cancels:
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError as again:  # Raised only when the task awaits again.
                cancels.append(again)
        return self._without_own_cancel(error, cancels)

    def _without_own_cancel(
        self, error: Optional[BaseException], cancels: List[asyncio.CancelledError]
    ) -> Optional[BaseException]:
        """What the block raised, except a cancellation of its task by this lock. Raises a
        cancellation by others that arrived after the block."""
        if self._is_cancelled_elsewhere(cancels) and cancels:
            if cancels[-1] is not error:
                raise cancels[-1]
            return error
        return None if isinstance(error, asyncio.CancelledError) else error

    def _is_cancelled_elsewhere(self, cancels: List[asyncio.CancelledError]) -> bool:
        if not self._was_cancelled:
            return True
        task: Any = asyncio.current_task()
        if hasattr(task, "uncancel"):
            return bool(task.uncancel() > self._cancels_before)
        return len(cancels) > 1

    def _cancel(self, task: Any) -> None:
        if self._hold is not None and not self._hold.is_over:
            self._was_cancelled = True
            task.cancel()

    def _release_unused(self, grant: Grant) -> None:
        """Releases a lock that was granted but under which nothing will run."""
        Hold(self._client, self._ask, grant, {}).release(TIDY_UP_MS)

    def _begin(self, hold: Hold) -> Hold:
        """Starts the hold. Raises if no time of it is left, no thread to renew it can be
        started, or Ctrl-C interrupts: then the caller releases it."""
        self._hold = hold
        try:
            hold.begin()
            if hold.loss is not None:
                raise hold.loss
            self._scope = _holds.set((*_open_holds(), hold))
        except BaseException:
            hold.stop()
            raise
        return hold

    def _join(self, outer: Hold) -> Hold:
        self._joined = outer
        self._unlisten = outer.listen(self._listeners)
        return outer

    def _join_in_task(self, outer: Hold) -> Hold:
        """Joins; cancels the task when the hold is lost, unless an outer block does."""
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
        """This block's own hold; None if it runs under that of an outer block."""
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
        """The hold under which the caller already runs, if it covers the request; else None."""
        if not self._entrance.acquire(blocking=False):
            raise invalid("A lock can be entered only once: get another one from the client.")
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
    """An exclusive hold covers any request, a shared one shared ones, permits as many permits."""
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
    """Raises the loss, with the work's error as its cause unless that error is or wraps the
    loss. What ends the program or the task takes precedence: a caller that handles a loss
    must not swallow it."""
    if isinstance(error, (KeyboardInterrupt, SystemExit, asyncio.CancelledError)):
        return
    if error is None or error is loss or error.__cause__ is loss:
        raise loss
    raise LockLost(loss.lock, loss.token, loss.cause, loss.at, loss.by, loss.reason) from error
