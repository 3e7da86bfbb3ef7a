"""How a caller gives up a wait."""

import math
import threading
import time
from contextlib import contextmanager
from typing import Callable, Iterator, Optional, Set

from .errors import WaitAbandoned

LOOK_EVERY_S = 0.05
"""How often a wait for something else checks an event that cannot wake it."""

LOOK_FOR_CALLER_S = 1.0
"""How often it checks whether there still is something that waits for it."""


class Stop(threading.Event):
    """An event that is set directly, or as soon as another one is, or once nothing waits for what
    it stops. Only the first wakes other waits."""

    def __init__(
        self,
        other: Optional[threading.Event],
        is_abandoned: Optional[Callable[[], bool]] = None,
    ):
        super().__init__()
        self._other = other
        self._is_abandoned = is_abandoned
        self._linked: Set[threading.Event] = set()
        self._lock = threading.Lock()

    @property
    def look_every_s(self) -> float:
        if self._other is not None:
            return LOOK_EVERY_S
        return math.inf if self._is_abandoned is None else LOOK_FOR_CALLER_S

    def set(self) -> None:
        super().set()
        with self._lock:
            linked = list(self._linked)
        for event in linked:
            event.set()

    def is_set(self) -> bool:
        is_other_set = self._other is not None and self._other.is_set()
        is_abandoned = self._is_abandoned is not None and self._is_abandoned()
        return super().is_set() or is_other_set or is_abandoned

    def wait(self, timeout: Optional[float] = None) -> bool:
        until = math.inf if timeout is None else time.monotonic() + timeout
        while not self.is_set():
            left_s = until - time.monotonic()
            if left_s <= 0:
                return False
            slice_s = min(left_s, self.look_every_s)
            super().wait(None if slice_s == math.inf else slice_s)
        return True

    def link(self, event: threading.Event) -> None:
        """Sets `event` as well when this is set, now or later, until `forget`."""
        with self._lock:
            self._linked.add(event)
        if self.is_set():
            event.set()

    def forget(self, event: threading.Event) -> None:
        with self._lock:
            self._linked.discard(event)


@contextmanager
def woken_by(stop: Optional[threading.Event], event: threading.Event) -> Iterator[float]:
    """Sets `event` when `stop` is set. Yields how often to check `stop` as well, in seconds."""
    if not isinstance(stop, Stop):
        yield math.inf if stop is None else LOOK_EVERY_S
        return
    stop.link(event)
    try:
        yield stop.look_every_s
    finally:
        stop.forget(event)


def pause(ms: float, stop: Optional[threading.Event]) -> None:
    """Raises `WaitAbandoned` as soon as `stop` is set."""
    if stop is None:
        time.sleep(max(0, ms) / 1_000)
    elif stop.wait(max(0, ms) / 1_000):
        raise WaitAbandoned()
