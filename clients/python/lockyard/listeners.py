"""The callbacks of a hold."""

import logging
from typing import Any, Callable, Mapping, Optional

_log = logging.getLogger("lockyard")

Listeners = Mapping[str, Optional[Callable[[Any], None]]]


def notify(listener: Optional[Callable[[Any], None]], event: Any) -> None:
    """Calls a listener; one that raises does not end the renewals, nor one that calls `sys.exit`,
    which would end only the thread."""
    if listener is None:
        return
    try:
        listener(event)
    except (Exception, SystemExit):
        _log.exception("A callback of a Lockyard hold failed.")
