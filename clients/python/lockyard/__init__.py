"""Client of the Lockyard lock service; it needs only the standard library.

    from lockyard import Client

    with Client().lock("invoices:2026-11", wait_ms=60_000) as hold:
        for invoice in invoices:
            hold.check()
            book(invoice, token=hold.token)
"""

from .client import Client
from .errors import (
    LockLost,
    LockTimeout,
    LockUpgradeRefused,
    LockyardError,
    ReleaseUnconfirmed,
    WaitAbandoned,
)
from .holding import Hold
from .lock import Lock

__all__ = [
    "Client",
    "Hold",
    "Lock",
    "LockLost",
    "LockTimeout",
    "LockUpgradeRefused",
    "LockyardError",
    "ReleaseUnconfirmed",
    "WaitAbandoned",
]
