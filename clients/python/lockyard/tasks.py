"""asyncio tasks that wait for threads, and may be cancelled meanwhile."""

import asyncio
import threading
from typing import Any, Callable, Generic, List, Optional, TypeVar

from .sending import in_background, is_started

T = TypeVar("T")

_LOOK_EVERY_S = 0.25
"""How often a result on its way to a task checks whether the loop is closed."""


class Handover(Generic[T]):
    """Hands a result from a thread to a task. If the task is cancelled before it has taken the
    result, or its loop is closed, the result is given back."""

    def __init__(self, give_back: Callable[[T], Any]):
        self._give_back = give_back
        self._lock = threading.Lock()
        self._offered: List[T] = []
        self._is_left = False
        self._is_over = threading.Event()

    def offer(self, it: T) -> T:
        """Called by the thread."""
        with self._lock:
            is_left = self._is_left
            if not is_left:
                self._offered.append(it)
        if is_left:
            self._give_back(it)
        return it

    def watch(self, is_closed: Callable[[], bool]) -> None:
        """Called by the thread once the loop was asked to resume the task: it may be closed before
        it does. Returns when the result, if there is one, is taken or given back."""
        with self._lock:
            is_offered = bool(self._offered)
        while is_offered and not self._is_over.wait(_LOOK_EVERY_S):
            if is_closed():
                self.leave()

    def take(self) -> None:
        """Called by the task, which has the result from now on."""
        with self._lock:
            self._offered.clear()
        self._is_over.set()

    def leave(self) -> None:
        """Called if the task was cancelled, or cannot go on. Safe to repeat."""
        with self._lock:
            self._is_left = True
            offered, self._offered = self._offered, []
        self._is_over.set()
        for it in offered:
            in_background(self._give_back, it)


def cancels_in(error: Optional[BaseException]) -> List[asyncio.CancelledError]:
    return [error] if isinstance(error, asyncio.CancelledError) else []


def count_cancels(task: Any) -> int:
    """How often the task was cancelled, which Python 3.11 and newer count; else 0."""
    return int(task.cancelling()) if hasattr(task, "cancelling") else 0


def in_thread(
    loop: asyncio.AbstractEventLoop,
    work: Callable[[], T],
    or_here: bool = False,
    afterwards: Callable[[], None] = lambda: None,
) -> "asyncio.Future[T]":
    """Runs `work` in a thread of its own: an executor has few threads, and waits are long.

    or_here: run it in the calling thread if no thread can be started
    afterwards: called by the thread once the loop was asked to set the result, or is closed
    """
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
        afterwards()

    if not is_started(threading.Thread(target=run, name="lockyard-async", daemon=True)):
        if not or_here:
            raise RuntimeError("There is no thread to wait for a lock.")
        run()
    return future
