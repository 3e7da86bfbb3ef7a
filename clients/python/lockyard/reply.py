"""Reads a reply."""

import http.client
import json
import re
from typing import Any, Mapping, Optional

from .errors import LockyardError
from .wire import ANSWER_NEEDS, REASONS

_BODY_MAX_MIB = 64
"""Enough for a page of 1,000 locks with 200 holders each, which is the most that one can have."""
_PART_BYTES = 65_536

_RETRY_AFTER_MAX_MS = 5_000
"""A proxy may ask for hours, while a hold or a queue position is lost in seconds."""

_REFUSALS = {
    301: "INVALID",
    302: "INVALID",
    307: "INVALID",
    308: "INVALID",
    400: "INVALID",
    401: "UNAUTHENTICATED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    405: "INVALID",
    413: "TOO_LARGE",
    429: "RATE_LIMITED",
}
"""The reason for a status without a known reason. With these the call was not applied; with any
other it may have been."""


_NUMBERS = {"token", "expiresAt", "expiresInMs", "waitedMs"}
"""Those of a grant and a renewal, with which this client calculates."""


def body_of(reply: http.client.HTTPResponse) -> Optional[bytes]:
    """None if it is too long: then it is not read to its end."""
    body = bytearray()
    while part := reply.read(_PART_BYTES):
        body += part
        if len(body) > _BODY_MAX_MIB * 2**20:
            return None
    if reply.length:  # What is left of the announced length.
        raise http.client.IncompleteRead(bytes(body), reply.length)
    return bytes(body)


def read_reply(
    procedure: str, kind: str, status: int, headers: Mapping[str, str], body: Optional[bytes]
) -> Any:
    """The result in a reply; raises the refusal in it, or one by its status for anything else.

    body: None if it was too long
    """
    request_id = headers.get("X-Request-Id")
    if body is None:
        # A query changes nothing, and its caller can ask for less.
        reason = "TOO_LARGE" if kind == "query" else "UNKNOWN"
        what = f"The answer has more than {_BODY_MAX_MIB} MiB."
        raise LockyardError(reason, what, request_id=request_id)
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        content = None
    data = _field(_field(content, "result"), "data")
    if 200 <= status < 300 and isinstance(data, dict):
        missing = _missing_in(procedure, data)
        if missing is None:
            return data
        raise LockyardError("UNKNOWN", f"The answer has no {missing}.", request_id=request_id)
    refusal = _field(content, "error")
    facts = _field(refusal, "data")
    reason = _field(facts, "reason")
    detail = _field(facts, "detail")
    by_status = _REFUSALS.get(status, "UNKNOWN")
    if isinstance(reason, str):
        message = _field(refusal, "message")
        raise LockyardError(
            reason if reason in REASONS else by_status,
            message if isinstance(message, str) else reason,
            retry_after_ms=_number(_field(facts, "retryAfterMs")),
            request_id=request_id,
            capacity=_number(_field(facts, "capacity")),
            detail=detail if isinstance(detail, str) else None,
            wait_max_ms=_number(_field(facts, "waitMaxMs")),
        )
    what = f"{status} came without an answer of Lockyard; check the URL."
    hint_ms = _retry_after_limit_ms(status, headers)
    raise LockyardError(
        by_status, what, retry_after_ms=hint_ms, request_id=request_id, is_foreign=True
    )


def _missing_in(procedure: str, data: Mapping[str, Any]) -> Optional[str]:
    """What an answer lacks to say what was done, as a phrase for a message; None: nothing."""
    outcomes = ANSWER_NEEDS[procedure]
    outcome = "" if "" in outcomes else data.get("outcome")
    if not isinstance(outcome, str) or outcome not in outcomes:
        return "known outcome"
    return next((f'"{name}"' for name in outcomes[outcome] if _lacks(data, name)), None)


def _lacks(data: Mapping[str, Any], name: str) -> bool:
    """A lease until infinity, which Python reads as a number, would never end."""
    value = data.get(name)
    return value is None or (name in _NUMBERS and not _is_exact(value))


def _is_exact(value: Any) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and abs(value) < 2**53


def _retry_after_limit_ms(status: int, headers: Mapping[str, str]) -> Optional[int]:
    """The `Retry-After` of a proxy that limits the rate, in milliseconds. Ignored with any other
    status: the next attempt may reach another server."""
    seconds = headers.get("Retry-After") or ""
    if status != 429 or not re.fullmatch("[0-9]{1,9}", seconds):
        return None
    return min(_RETRY_AFTER_MAX_MS, int(seconds) * 1_000)


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _number(value: Any) -> Optional[int]:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
