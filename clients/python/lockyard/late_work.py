"""Refuses work that would run only once its lock is released."""

import inspect
from functools import partial
from typing import Any, Callable

from .errors import LockyardError
from .settings import invalid

_LATE = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)


def refuse_late(work: Callable[..., Any]) -> None:
    """Raises `INVALID` for what cannot be called, and for a function whose call only makes a
    coroutine or a generator."""
    if not callable(work):
        raise invalid("The work cannot be called.")
    called = work.func if isinstance(work, partial) else work
    if any(is_late(called) for is_late in _LATE):
        raise _late()


def refuse_late_result(result: Any) -> None:
    """Raises `INVALID` for a coroutine or a generator, as a function may return that is none
    itself."""
    if inspect.iscoroutine(result):
        result.close()
    elif not inspect.isgenerator(result) and not inspect.isasyncgen(result):
        return
    raise _late()


def _late() -> LockyardError:
    return invalid(
        "The work would run only once the lock is released. Use `with client.lock(…)` within it, "
        "or `async with`."
    )
